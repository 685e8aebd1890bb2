#include "trace/memory/memory_events.h"

#include "trace/run/nesting.h"

namespace laptime {

namespace {

// Larger blocks come from damage, not from a run.
constexpr std::uint64_t kMaxBlockBytes = 1ull << 46;

}  // namespace

MemoryMarks::MemoryMarks(const Run& run, std::uint32_t track)
    : spans_(&run.tracks[track].spans),
      track_(track),
      order_(end_order(*spans_)),
      size_(spans_->size()) {
  skip_others();
}

void MemoryMarks::skip_others() {
  while (next_ < size_ && !is_mark(spans_->kind[row_at(next_)])) ++next_;
}

MemoryEvent MemoryMarks::take() {
  const std::uint32_t row = row_at(next_++);
  skip_others();
  MemoryEvent event{spans_->start[row],
                    spans_->link.empty() ? 0 : spans_->link[row],
                    0,
                    spans_->name[row],
                    track_,
                    row,
                    spans_->kind[row]};
  read_args(event);
  return event;
}

void MemoryMarks::read_args(MemoryEvent& event) {
  const ArgColumns& args = spans_->args;
  if (!order_.empty())
    arg_ = static_cast<std::size_t>(std::lower_bound(args.row.begin(), args.row.end(), event.row) -
                                    args.row.begin());
  while (arg_ < args.size() && args.row[arg_] < event.row) ++arg_;
  for (std::size_t i = arg_; i < args.size() && args.row[i] == event.row; ++i) {
    if (args.key[i] != 0) continue;
    if (args.type[i] == ArgType::integer) event.bytes = std::min(args.value[i], kMaxBlockBytes);
    if (args.type[i] == ArgType::string)
      event.device_of_role = static_cast<std::uint32_t>(args.value[i]);
  }
}

}  // namespace laptime
