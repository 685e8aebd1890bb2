#include "trace/memory/memory_categories.h"

#include <algorithm>
#include <optional>

#include "format/names.h"

namespace laptime {

namespace {

std::optional<MemoryCategory> category_of_role(std::string_view role) {
  for (const MemoryCategory category :
       {MemoryCategory::parameter, MemoryCategory::buffer, MemoryCategory::gradient,
        MemoryCategory::optimizer_state, MemoryCategory::input})
    if (role == category_name(category)) return category;
  return std::nullopt;
}

// The first moment after `time` in rising moments. INT64_MAX: none.
std::int64_t next_after(const std::vector<std::int64_t>& moments, std::int64_t time) {
  const auto it = std::upper_bound(moments.begin(), moments.end(), time);
  return it == moments.end() ? INT64_MAX : *it;
}

// The pass of the span around an instant.
OpPass pass_around(const TrackOps& ops, std::uint32_t row) {
  const std::uint32_t around = row < ops.size() ? ops.tree.parent[row] : kNoRow;
  return around == kNoRow ? OpPass::none : ops.pass[around];
}

}  // namespace

const char* category_name(MemoryCategory category) {
  switch (category) {
    case MemoryCategory::parameter:
      return span_name::kParameter.data();
    case MemoryCategory::buffer:
      return span_name::kBuffer.data();
    case MemoryCategory::gradient:
      return span_name::kGradient.data();
    case MemoryCategory::optimizer_state:
      return span_name::kOptimizerState.data();
    case MemoryCategory::activation:
      return "activation";
    case MemoryCategory::input:
      return span_name::kInput.data();
    case MemoryCategory::before_steps:
      return "before steps";
    case MemoryCategory::temporary:
      return "temporary";
  }
  return "";
}

InstantOrigin origin_of(const Run& run, const OpAttribution& ops, std::uint32_t track,
                        std::uint32_t row) {
  const TrackOps& tree = ops.tracks[track];
  InstantOrigin origin;
  if (row >= tree.size()) return origin;
  const SpanColumns& spans = run.tracks[track].spans;
  std::uint32_t around = tree.tree.parent[row];
  if (around == kNoRow) return origin;
  origin.call_site = tree.call_site[row];
  origin.pass = tree.pass[around];
  origin.op = spans.name[around];
  for (; around != kNoRow; around = tree.tree.parent[around])
    if (spans.kind[around] == SpanKind::op) origin.op = spans.name[around];
  return origin;
}

MemoryCategories::MemoryCategories(const Run& run, const OpAttribution& ops, std::uint32_t process)
    : run_(run), ops_(ops), loading_(run.tracks.size()) {
  for (std::size_t t = 0; t < run.tracks.size(); ++t) {
    if (run.tracks[t].process != process) continue;
    const SpanColumns& spans = run.tracks[t].spans;
    std::vector<Interval> loading;
    for (std::size_t row = 0; row < spans.size(); ++row) switch (spans.kind[row]) {
        case SpanKind::loader:
          loading.push_back({spans.start[row], spans.end(row) + 1});
          break;
        case SpanKind::backward:
          backward_starts_.push_back(spans.start[row]);
          break;
        case SpanKind::step:
          first_step_ns_ = std::min(first_step_ns_, spans.start[row]);
          step_ends_.push_back(spans.end(row));
          break;
        default:
          break;
      }
    loading_[t] = Intervals(std::move(loading));
  }
  std::sort(backward_starts_.begin(), backward_starts_.end());
  std::sort(step_ends_.begin(), step_ends_.end());
}

bool MemoryCategories::is_activation(const MemoryBlock& block) const {
  const std::int64_t backward = next_after(backward_starts_, block.born_ns);
  return backward != INT64_MAX && backward <= next_after(step_ends_, block.born_ns) &&
         block.died_ns > backward;
}

void MemoryCategories::describe(PeakBlock& peak) const {
  const MemoryBlock& block = peak.block;
  const InstantOrigin origin =
      block.from_before ? InstantOrigin{} : origin_of(run_, ops_, block.track, block.row);
  peak.op = origin.op;
  peak.call_site = origin.call_site;
  peak.category = category_of(block, origin.pass);
}

MemoryCategory MemoryCategories::category_of(const MemoryBlock& block) const {
  return category_of(
      block, block.from_before ? OpPass::none : pass_around(ops_.tracks[block.track], block.row));
}

MemoryCategory MemoryCategories::category_of(const MemoryBlock& block, OpPass pass) const {
  if (block.role != 0)
    if (const auto category = category_of_role(run_.strings[block.role])) return *category;
  if (loading_[block.track].overlaps(block.born_ns, block.born_ns + 1))
    return MemoryCategory::input;
  if (!block.from_before && !step_ends_.empty() && block.born_ns < first_step_ns_)
    return MemoryCategory::before_steps;
  return pass == OpPass::forward && is_activation(block) ? MemoryCategory::activation
                                                         : MemoryCategory::temporary;
}

}  // namespace laptime
