// Replays a task graph with other times: when each task would begin and end.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "replay/graph/task_graph.h"

namespace laptime::replay {

// A time changed by a factor, in whole nanoseconds.
inline std::int64_t scaled(std::int64_t ns, double factor) {
  return std::llround(static_cast<double>(ns) * factor);
}

// The times of tasks in a replay.
struct Prices {
  std::vector<std::int64_t> own;  // by task: its own time
  // By host task: it no longer waits. Empty: all wait as recorded.
  std::vector<bool> released;
  // On another thread of the host, gaps up to this between tasks take no time.
  std::int64_t free_gap = 0;
};

struct Replay {
  std::vector<std::int64_t> start, end;  // by task
  std::vector<std::uint8_t> cause;       // by task: the need that determined its begin; kFree: none
  static constexpr std::uint8_t kFree = 255;
};

Replay replay(const TaskGraph& graph, const Prices& prices);

// The recorded own times.
Prices recorded_times(const TaskGraph& graph);

// When steps are done: the host with each step, and the GPUs with all work launched until then. A
// host that launches ahead is done earlier for a while, until it must wait. So in the long run a
// step takes the time between two of the later ends.
struct StepEnds {
  std::int64_t host_begin = 0, begin = 0;  // of the first step
  std::vector<std::int64_t> host, all;     // by step of the graph
};
StepEnds step_ends(const TaskGraph& graph, const Replay& replay);

using CategoryTimes = std::array<std::int64_t, kHostCategories>;
inline std::int64_t sum(const CategoryTimes& times) {
  return std::accumulate(times.begin(), times.end(), std::int64_t{0});
}

// By step of the graph: its categories on the stepping thread, which sum to the step's time in the
// long run. Waiting beyond the replay's own waits counts as launching.
std::vector<CategoryTimes> split_replayed(const TaskGraph& graph, const Replay& replay);

// By step of the graph: its time, and how long any GPU of the process works in it.
struct DeviceTimes {
  std::int64_t busy_ns = 0, wall_ns = 0;
};
std::vector<DeviceTimes> device_times(const TaskGraph& graph, const Replay& replay);

}  // namespace laptime::replay
