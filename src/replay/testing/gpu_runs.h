// For tests: runs with a GPU, and their replays.
#pragma once

#include <numeric>
#include <string_view>
#include <vector>

#include "replay/graph/replay.h"
#include "replay/graph/task_graph.h"
#include "replay/price/changes.h"
#include "replay/price/pricing.h"
#include "trace/analysis.h"
#include "trace/testing/op_runs.h"

namespace laptime::replay {

// A run with a GPU, built in a few lines.
class GpuRun : public OpRun {
 public:
  GpuRun() {
    stream = add_thread();
    make_stream(stream, 7);
  }
  std::uint32_t add_stream(std::uint32_t number) {
    const std::uint32_t track = add_thread();
    make_stream(track, number);
    return track;
  }
  void launch(std::int64_t start, std::int64_t duration, std::uint32_t number) {
    add(0, {start, duration, "cuLaunchKernel", SpanKind::launch, LaunchLink::pack(1, number)});
  }
  void kernel(std::uint32_t track, std::int64_t start, std::int64_t duration, std::uint32_t number,
              std::string_view name = "kernel") {
    add(track, {start, duration, name, SpanKind::kernel, LaunchLink::pack(1, number)});
  }

  std::uint32_t stream;

 private:
  void make_stream(std::uint32_t track, std::uint32_t number) {
    run.tracks[track].kind = TrackKind::stream;
    run.tracks[track].os_id = number;
  }
};

// Everything that graphs of a run need.
struct Built {
  explicit Built(const Run& run)
      : analysis(run), source(analysis), graph(build_task_graph(source, analysis.host_steps())) {}
  std::vector<std::int64_t> walls(const Changes& changes,
                                  Outlook outlook = Outlook::expected) const {
    const Pricing pricing(source, changes);
    std::vector<std::int64_t> result;
    for (const CategoryTimes& times :
         split_replayed(graph, replay(graph, pricing.prices(graph, outlook))))
      result.push_back(std::accumulate(times.begin(), times.end(), std::int64_t{0}));
    return result;
  }

  Analysis analysis;
  GraphSource source;
  TaskGraph graph;
};

inline Changes scaled(const char* pattern, double factor) {
  Changes changes;
  changes.scales.push_back({pattern, factor});
  return changes;
}

}  // namespace laptime::replay
