#include "advise/evidence/loader_workers.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/percentile.h"
#include "format/names.h"
#include "replay/input/loader_facts.h"
#include "trace/input/worker_processes.h"
#include "trace/run/intervals.h"

namespace laptime {

namespace {

constexpr double kFilled = 0.9;  // of the rest of a step, so that the queue does not become empty
constexpr double kLongWait = 0.05;  // of a step
// One worker in twenty differs this much from the mean by chance.
constexpr double kChanceErrors = 2;

double slowest_worker(const std::map<std::uint32_t, std::vector<double>>& batches, double mean) {
  double slowest = 1;
  for (const auto& [worker, ns] : batches) {
    const Part own = mean_part(ns);
    if (ns.size() > 1 && own.ns - kChanceErrors * own.error_ns > mean)
      slowest = std::max(slowest, own.ns / mean);
  }
  return slowest;
}

Intervals phase_intervals(const MainPhase& main_phase) {
  std::vector<Interval> parts;
  for (const HostStep& s : main_phase.steps())
    parts.push_back({s.step.start_ns, s.step.start_ns + s.step.wall_ns});
  return Intervals(std::move(parts));
}

}  // namespace

LoaderWorkers find_loader_workers(const Run& run, const MainPhase& main_phase) {
  LoaderWorkers workers;
  const std::uint32_t fetch = run.strings.find(span_name::kFetch);
  if (fetch == StringTable::kNoString) return workers;
  const Intervals in_phase = phase_intervals(main_phase);
  const std::vector<bool> may_work = may_work_for(run, run.tracks[main_phase.track()].process);
  std::vector<double> batches;
  for (std::uint32_t t = 0; t < run.tracks.size(); ++t) {
    if (!may_work[run.tracks[t].process]) continue;
    const SpanColumns& spans = run.tracks[t].spans;
    std::vector<double> own;
    std::int64_t first = INT64_MAX, last = INT64_MIN;
    for (std::size_t row = 0; row < spans.size(); ++row) {
      if (spans.name[row] != fetch || !in_phase.overlaps(spans.start[row], spans.end(row)))
        continue;
      own.push_back(static_cast<double>(spans.duration[row]));
      first = std::min(first, spans.start[row]);
      last = std::max(last, spans.end(row));
    }
    if (own.empty()) continue;
    const double sum = mean_part(own).ns * static_cast<double>(own.size());
    workers.tracks.push_back(t);
    workers.total_ns += sum;
    workers.busy += last > first ? sum / static_cast<double>(last - first) : 0;
    batches.insert(batches.end(), own.begin(), own.end());
  }
  if (!workers.tracks.empty()) workers.busy /= static_cast<double>(workers.tracks.size());
  workers.batch = mean_part(batches);
  workers.batches = batches.size();
  return workers;
}

BatchCosts find_batch_costs(const Analysis& analysis, const MainPhase& main_phase) {
  std::vector<HostStep> steps;
  std::copy_if(analysis.host_steps().begin(), analysis.host_steps().end(),
               std::back_inserter(steps), [&](const HostStep& s) {
                 return s.step.track == main_phase.track() && s.step.phase == main_phase.phase();
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
  costs.blocked_steps =
      static_cast<std::size_t>(std::count_if(typical.begin(), typical.end(), [&](double ns) {
        return ns > kLongWait * main_phase.step_ns();
      }));
  costs.median_ns = take_percentile(fetches, 0.5);
  costs.long_ns = take_percentile(fetches, 0.95);
  costs.slowest_worker = slowest_worker(by_worker, mean_part(all).ns);
  return costs;
}

std::optional<std::int64_t> workers_needed(const Settings& settings, double batch_ns,
                                           double rest_ns) {
  const std::int64_t cpus = settings.cpus.value_or(1);
  if (cpus < 2) return std::nullopt;
  return std::clamp<std::int64_t>(
      static_cast<std::int64_t>(std::ceil(batch_ns / std::max(kFilled * rest_ns, 1.0))), 1, cpus);
}

}  // namespace laptime
