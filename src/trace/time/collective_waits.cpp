#include "trace/time/collective_waits.h"

#include <algorithm>

namespace laptime {

namespace {

constexpr std::int64_t kLatestNotice = 5'000'000;  // some turns of the scheduler

}  // namespace

// The first own interval that ends no earlier. The moment lies in it, or in the gap before it.
std::size_t CollectiveWaits::own_after(std::int64_t time) const {
  const std::vector<Interval>& parts = own_.parts();
  return static_cast<std::size_t>(
      std::lower_bound(parts.begin(), parts.end(), time,
                       [](const Interval& part, std::int64_t t) { return part.end < t; }) -
      parts.begin());
}

void CollectiveWaits::note(const Interval& collective) {
  const std::size_t next = own_after(collective.end);
  if (next == own_.parts().size() || own_.parts()[next].start >= collective.end)
    explained_.insert(next);
}

Interval CollectiveWaits::find(const Interval& collective) const {
  const std::vector<Interval>& parts = own_.parts();
  const std::int64_t end = collective.end;
  Interval found{end, end};
  for (std::size_t next = own_after(end);; --next) {
    const Interval gap{std::max(collective.start, next == 0 ? INT64_MIN : parts[next - 1].end),
                       next == parts.size() ? end : std::min(parts[next].start, end)};
    const std::int64_t late = end - gap.end, length = gap.end - gap.start;
    if (late > kLatestNotice || length < 0) break;
    if (late <= length / 2 && length > found.end - found.start &&
        (late == 0 || !explained_.contains(next)))
      found = gap;
    if (next == 0) break;
  }
  return found;
}

}  // namespace laptime
