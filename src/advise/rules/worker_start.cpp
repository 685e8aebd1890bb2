#include <fmt/format.h>

#include "advise/rules.h"
#include "advise/words.h"
#include "analyze/stretches.h"
#include "base/humane.h"

namespace laptime {

namespace {

// What the starts of loaders took within the lap's steps, and how many there were.
struct Starts {
  std::size_t count = 0;
  double ns = 0;
};

Starts find_starts(const Evidence& evidence) {
  Starts starts;
  const std::uint32_t name = evidence.run().strings.find("start loader");
  const SpanColumns& spans = evidence.run().tracks[evidence.lap().track()].spans;
  std::vector<Stretch> steps;
  for (const HostStep& s : evidence.lap().steps()) steps.push_back({s.step.start_ns, s.step.start_ns + s.step.wall_ns});
  const Stretches in_lap(std::move(steps));
  for (std::size_t row = 0; row < spans.size(); ++row) {
    if (spans.name[row] != name || spans.kind[row] != SpanKind::loader || !in_lap.overlaps(spans.start[row], spans.end(row))) continue;
    ++starts.count;
    starts.ns += static_cast<double>(spans.duration[row]);
  }
  return starts;
}

std::vector<Finding> find_worker_start(const Evidence& evidence) {
  const LoaderSettings* loader = evidence.settings().training_loader();
  if (!loader || loader->workers == 0 || loader->persistent) return {};
  const Starts starts = find_starts(evidence);
  if (starts.count < kFewestEvents) return {};
  const double ns = starts.ns / static_cast<double>(evidence.lap().steps().size());
  return {{loader->file, loader->line, evidence.share(ns), predict(evidence.step_ns(), Part{ns, 0}, {0, 0.3}), Confidence::high,
           fmt::format("Workers are started anew {} times, {} each time: {}.", starts.count, humane_time(starts.ns / static_cast<double>(starts.count)),
                       of_a_step(evidence, ns)),
           "DataLoader(…, persistent_workers=True), made once and iterated over in every epoch"}};
}

}  // namespace

const Rule kWorkerStart{
    "worker-start",
    "Loader workers are started again in every epoch",
    "a loader with workers and without `persistent_workers=True` was iterated over at least twice within training.",
    "epochs are so long that starting workers is lost in them.",
    "`DataLoader(…, persistent_workers=True)`, and make the loader once: a new loader starts new workers.",
    "the time of starting, but for at most 30 % of it, goes.",
    find_worker_start};

}  // namespace laptime
