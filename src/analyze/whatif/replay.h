// The run again, with other times: when each task of a graph would begin and end.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analyze/whatif/task_graph.h"

namespace laptime::whatif {

struct Replay {
  std::vector<std::int64_t> start, end;  // by task
  std::vector<std::uint8_t> cause;       // by task: which of its needs let it begin; kFree: none did
  static constexpr std::uint8_t kFree = 255;
};

// `own`: by task, what each takes itself.
Replay replay(const TaskGraph& graph, std::span<const std::int64_t> own);

// The own times as they were recorded.
std::vector<std::int64_t> recorded_times(const TaskGraph& graph);

using CategoryTimes = std::array<std::int64_t, kHostCategories>;

// By step of the graph: where it goes on the stepping thread. Sums to the step's wall time.
std::vector<CategoryTimes> split_replayed(const TaskGraph& graph, const Replay& replay);

// By step of the graph: how long some GPU of the process works in it, and the wall time.
struct DeviceTimes {
  std::int64_t busy_ns = 0, wall_ns = 0;
};
std::vector<DeviceTimes> device_times(const TaskGraph& graph, const Replay& replay);

}  // namespace laptime::whatif
