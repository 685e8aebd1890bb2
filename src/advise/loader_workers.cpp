#include "advise/workers.h"

#include <algorithm>

#include "trace/input/worker_processes.h"
#include "trace/run/stretches.h"

namespace laptime {

namespace {

Stretches lap_stretches(const Lap& lap) {
  std::vector<Stretch> parts;
  for (const HostStep& s : lap.steps())
    parts.push_back({s.step.start_ns, s.step.start_ns + s.step.wall_ns});
  return Stretches(std::move(parts));
}

}  // namespace

LoaderWorkers find_loader_workers(const Run& run, const Lap& lap) {
  LoaderWorkers workers;
  const std::uint32_t fetch = run.strings.find("fetch");
  if (fetch == StringTable::kNoString) return workers;
  const Stretches in_lap = lap_stretches(lap);
  const std::vector<bool> may_work = may_work_for(run, run.tracks[lap.track()].process);
  std::vector<double> batches;
  for (std::uint32_t t = 0; t < run.tracks.size(); ++t) {
    if (!may_work[run.tracks[t].process]) continue;
    const SpanColumns& spans = run.tracks[t].spans;
    std::vector<double> own;
    std::int64_t first = INT64_MAX, last = INT64_MIN;
    for (std::size_t row = 0; row < spans.size(); ++row) {
      if (spans.name[row] != fetch || !in_lap.overlaps(spans.start[row], spans.end(row))) continue;
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

}  // namespace laptime
