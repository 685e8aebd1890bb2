#include "trace/run/stretches.h"

#include <algorithm>

namespace laptime {

namespace {

// The first that starts after the moment.
auto first_after(const std::vector<Stretch>& all, std::int64_t time) {
  return std::upper_bound(all.begin(), all.end(), time,
                          [](std::int64_t t, const Stretch& s) { return t < s.start; });
}

}  // namespace

Stretches::Stretches(std::vector<Stretch> parts) {
  std::sort(parts.begin(), parts.end(),
            [](const Stretch& a, const Stretch& b) { return a.start < b.start; });
  for (const Stretch& part : parts) {
    if (part.end <= part.start) continue;
    if (parts_.empty() || parts_.back().end < part.start)
      parts_.push_back(part);
    else
      parts_.back().end = std::max(parts_.back().end, part.end);
  }
}

bool Stretches::overlaps(std::int64_t start, std::int64_t end) const {
  const auto next = first_after(parts_, start);
  if (next != parts_.begin() && (next - 1)->end > start) return true;
  return next != parts_.end() && next->start < end;
}

std::int64_t Stretches::within(std::int64_t start, std::int64_t end) const {
  std::int64_t ns = 0;
  for (const Stretch& part : parts_)
    ns += std::max<std::int64_t>(0, std::min(part.end, end) - std::max(part.start, start));
  return ns;
}

void Stretches::Cursor::seek(std::int64_t time) {
  const auto next = first_after(all_, time);
  const bool has_last = next != all_.begin();
  inside_ = has_last && time < (next - 1)->end;
  from_ = !has_last ? INT64_MIN : inside_ ? (next - 1)->start : (next - 1)->end;
  to_ = inside_ ? (next - 1)->end : next == all_.end() ? INT64_MAX : next->start;
}

}  // namespace laptime
