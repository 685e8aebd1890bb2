// The run again, with other times: when each task of a graph would begin and end.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "replay/graph/task_graph.h"

namespace laptime::replay {

// A time that a change makes longer or shorter, in whole nanoseconds.
inline std::int64_t scaled(std::int64_t ns, double factor) {
  return std::llround(static_cast<double>(ns) * factor);
}

// What tasks would take.
struct Prices {
  std::vector<std::int64_t> own;  // by task, what each takes itself
  std::vector<bool>
      released;  // by task of the host: it does not wait any more; empty: all wait as they did
  std::int64_t free_gap =
      0;  // between tasks of another thread of the host, what takes no time: up to this
};

struct Replay {
  std::vector<std::int64_t> start, end;  // by task
  std::vector<std::uint8_t> cause;  // by task: which of its needs let it begin; kFree: none did
  static constexpr std::uint8_t kFree = 255;
};

Replay replay(const TaskGraph& graph, const Prices& prices);

// The own times as they were recorded.
Prices recorded_times(const TaskGraph& graph);

// When steps are done: the host with each, and the GPUs with all that was launched until then. A
// host that launches ahead is done sooner, for a while, until it must wait; so what steps take in
// the long run is from one to the next of the later of both.
struct StepEnds {
  std::int64_t host_begin = 0, begin = 0;  // of the first step
  std::vector<std::int64_t> host, all;     // by step of the graph
};
StepEnds step_ends(const TaskGraph& graph, const Replay& replay);

using CategoryTimes = std::array<std::int64_t, kHostCategories>;
inline std::int64_t sum(const CategoryTimes& times) {
  return std::accumulate(times.begin(), times.end(), std::int64_t{0});
}

// By step of the graph: where it goes on the stepping thread. Sums to what the step takes in the
// long run: what the host will have to wait beyond what the replay says it does counts as
// launching.
std::vector<CategoryTimes> split_replayed(const TaskGraph& graph, const Replay& replay);

// By step of the graph: how long some GPU of the process works in it, and what it takes.
struct DeviceTimes {
  std::int64_t busy_ns = 0, wall_ns = 0;
};
std::vector<DeviceTimes> device_times(const TaskGraph& graph, const Replay& replay);

}  // namespace laptime::replay
