#include "trace/memory/memory_events.h"

#include "trace/run/nesting.h"

namespace laptime {

namespace {

// Larger blocks come from damage.
constexpr std::uint64_t kMaxBlockBytes = 1ull << 46;

}  // namespace

MemoryInstants::MemoryInstants(const Run& run, std::uint32_t track)
    : spans_(&run.tracks[track].spans),
      track_(track),
      order_(end_order(*spans_)),
      size_(spans_->size()),
      bytes_(spans_->bytes.cursor()),
      devices_(spans_->device.cursor()) {
  skip_others();
}

void MemoryInstants::skip_others() {
  while (next_ < size_ && !is_instant(spans_->kind[row_at(next_)])) ++next_;
}

MemoryEvent MemoryInstants::take() {
  const std::uint32_t row = row_at(next_++);
  skip_others();
  return {spans_->start[row],
          spans_->link.empty() ? 0 : spans_->link[row],
          std::min(bytes_.value_or(row, 0), kMaxBlockBytes),
          spans_->name[row],
          track_,
          row,
          spans_->kind[row],
          devices_.value_or(row, 0)};
}

}  // namespace laptime
