#include "advise/batch_costs.h"

#include <algorithm>
#include <map>

#include "base/percentile.h"
#include "replay/loader_facts.h"
#include "trace/analysis.h"

namespace laptime {

namespace {

constexpr double kLongWait = 0.05;  // of a step
constexpr double kChanceErrors =
    2;  // a worker that is that far from the mean is so by chance in one of twenty

double slowest_worker(const std::map<std::uint32_t, std::vector<double>>& batches, double mean) {
  double slowest = 1;
  for (const auto& [worker, ns] : batches) {
    const Part own = mean_part(ns);
    if (ns.size() > 1 && own.ns - kChanceErrors * own.error_ns > mean)
      slowest = std::max(slowest, own.ns / mean);
  }
  return slowest;
}

}  // namespace

BatchCosts find_batch_costs(const Analysis& analysis, const Lap& lap) {
  std::vector<HostStep> steps;
  std::copy_if(analysis.host_steps().begin(), analysis.host_steps().end(),
               std::back_inserter(steps), [&](const HostStep& s) {
                 return s.step.track == lap.track() && s.step.phase == lap.phase();
               });
  const replay::LoaderFacts facts = replay::find_loader(analysis.run(), steps);
  BatchCosts costs;
  if (facts.workers == 0) return costs;
  std::vector<double> blocked(steps.size()), all;
  std::vector<std::int64_t> fetches;
  std::map<std::uint32_t, std::vector<double>> by_worker;
  for (const replay::Batch& batch : facts.batches) {
    if (batch.fetch_ns == 0 || !steps[batch.step].step.counts) continue;
    blocked[batch.step] += static_cast<double>(batch.blocked_ns);
    fetches.push_back(batch.fetch_ns);
    all.push_back(static_cast<double>(batch.fetch_ns));
    by_worker[batch.worker].push_back(all.back());
  }
  if (fetches.empty()) return costs;
  std::vector<double> typical;
  for (std::size_t s = 0; s < steps.size(); ++s)
    if (steps[s].step.counts) typical.push_back(blocked[s]);
  costs.blocked = mean_part(typical);
  costs.blocked_steps = static_cast<std::size_t>(std::count_if(
      typical.begin(), typical.end(), [&](double ns) { return ns > kLongWait * lap.step_ns(); }));
  costs.median_ns = take_percentile(fetches, 0.5);
  costs.long_ns = take_percentile(fetches, 0.95);
  costs.slowest_worker = slowest_worker(by_worker, mean_part(all).ns);
  return costs;
}

}  // namespace laptime
