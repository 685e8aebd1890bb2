#include "trace/steps/step_times.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/percentile.h"

namespace laptime {

StepIndex::StepIndex(const Run& run, const std::vector<Step>& steps) {
  const auto end = [&](std::uint32_t i) { return steps[i].start_ns + steps[i].wall_ns; };
  std::vector<std::vector<std::uint32_t>> by_process(run.processes.size());
  for (std::uint32_t i = 0; i < steps.size(); ++i)
    by_process[run.tracks[steps[i].track].process].push_back(i);
  for (std::vector<std::uint32_t>& of_process : by_process) {
    first_.push_back(static_cast<std::uint32_t>(places_.size()));
    std::stable_sort(of_process.begin(), of_process.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return end(a) < end(b); });
    std::map<std::uint32_t, std::uint32_t> groups;  // by phase
    for (const std::uint32_t i : of_process) {
      const auto [it, is_new] =
          groups.try_emplace(steps[i].phase, static_cast<std::uint32_t>(warm_steps_.size()));
      if (is_new) warm_steps_.push_back(0);
      const bool warmup = !steps[i].counts;
      warm_steps_[it->second] += !warmup;
      places_.push_back({i, it->second, warmup});
    }
  }
  first_.push_back(static_cast<std::uint32_t>(places_.size()));
}

std::uint32_t StepIndex::find(std::uint32_t process, std::uint32_t step) const {
  const std::uint32_t count = first_[process + 1] - first_[process];
  return step < count ? first_[process] + step : kNoStep;
}

StepTimes::Summary StepTimes::summarize(const StepIndex& index) {
  std::sort(times_.begin(), times_.end(),
            [](const Time& a, const Time& b) { return a.place < b.place; });
  Summary summary;
  std::uint64_t warmup = 0;
  std::vector<std::int64_t> warm;
  std::set<std::uint32_t> groups;
  for (std::size_t i = 0; i < times_.size();) {
    const std::uint32_t place = times_[i].place;
    std::uint64_t total = 0;
    for (; i < times_.size() && times_[i].place == place; ++i) total += times_[i].ns;
    const auto sum = static_cast<std::int64_t>(total);
    if (index.is_warmup(place)) {
      warmup += total;
      continue;
    }
    warm.push_back(sum);
    groups.insert(index.group(place));
  }
  summary.warmup_ns = static_cast<std::int64_t>(warmup);
  if (warm.empty()) return summary;
  std::size_t steps = 0;
  for (const std::uint32_t group : groups) steps += index.warm_steps(group);
  warm.resize(std::max(steps, warm.size()), 0);
  summary.p50_ns = take_percentile(warm, 0.50);
  summary.p95_ns = take_percentile(warm, 0.95);
  return summary;
}

}  // namespace laptime
