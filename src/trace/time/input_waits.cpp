#include "trace/time/input_waits.h"

#include <algorithm>

#include "trace/run/intervals.h"

namespace laptime {

namespace {

Intervals calls_of(const SpanColumns& spans) {
  std::vector<Interval> calls;
  for (std::size_t row = 0; row < spans.size(); ++row)
    if (spans.kind[row] == SpanKind::dispatch || spans.kind[row] == SpanKind::wait)
      calls.push_back({spans.start[row], spans.end(row)});
  return Intervals(std::move(calls));
}

void add_clipped(const InputWait& wait, const Intervals& calls, std::vector<InputWait>& waits) {
  const std::vector<Interval>& parts = calls.parts();
  auto part =
      std::lower_bound(parts.begin(), parts.end(), wait.start,
                       [](const Interval& call, std::int64_t time) { return call.end <= time; });
  for (; part != parts.end() && part->start < wait.end; ++part)
    waits.push_back({std::max(part->start, wait.start), std::min(part->end, wait.end), wait.name});
}

}  // namespace

std::vector<InputWait> find_input_waits(const Run& run, std::uint32_t track) {
  std::vector<InputWait> waits;
  const Intervals calls = calls_of(run.tracks[track].spans);
  for (std::uint32_t t = 0; t < run.tracks.size(); ++t) {
    if (run.tracks[t].process != run.tracks[track].process || (t != track && calls.empty()))
      continue;
    const SpanColumns& spans = run.tracks[t].spans;
    for (std::size_t row = 0; row < spans.size(); ++row) {
      if (spans.kind[row] != SpanKind::loader) continue;
      const InputWait wait{spans.start[row], spans.end(row), spans.name[row]};
      if (t == track)
        waits.push_back(wait);
      else
        add_clipped(wait, calls, waits);
    }
  }
  std::stable_sort(waits.begin(), waits.end(),
                   [](const InputWait& a, const InputWait& b) { return a.end < b.end; });
  return waits;
}

}  // namespace laptime
