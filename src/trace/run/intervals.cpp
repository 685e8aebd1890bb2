#include "trace/run/intervals.h"

#include <algorithm>

namespace laptime {

namespace {

// The first that starts after the moment.
auto first_after(const std::vector<Interval>& all, std::int64_t time) {
  return std::upper_bound(all.begin(), all.end(), time,
                          [](std::int64_t t, const Interval& s) { return t < s.start; });
}

}  // namespace

Intervals::Intervals(std::vector<Interval> parts) {
  std::sort(parts.begin(), parts.end(),
            [](const Interval& a, const Interval& b) { return a.start < b.start; });
  for (const Interval& part : parts) {
    if (part.end <= part.start) continue;
    if (parts_.empty() || parts_.back().end < part.start)
      parts_.push_back(part);
    else
      parts_.back().end = std::max(parts_.back().end, part.end);
  }
}

bool Intervals::overlaps(std::int64_t start, std::int64_t end) const {
  const auto next = first_after(parts_, start);
  if (next != parts_.begin() && (next - 1)->end > start) return true;
  return next != parts_.end() && next->start < end;
}

std::int64_t Intervals::within(std::int64_t start, std::int64_t end) const {
  std::int64_t ns = 0;
  for (const Interval& part : parts_)
    ns += std::max<std::int64_t>(0, std::min(part.end, end) - std::max(part.start, start));
  return ns;
}

void Intervals::Cursor::seek(std::int64_t time) {
  const auto next = first_after(all_, time);
  const bool has_last = next != all_.begin();
  inside_ = has_last && time < (next - 1)->end;
  from_ = !has_last ? INT64_MIN : inside_ ? (next - 1)->start : (next - 1)->end;
  to_ = inside_ ? (next - 1)->end : next == all_.end() ? INT64_MAX : next->start;
}

}  // namespace laptime
