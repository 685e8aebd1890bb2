// What a step's time consists of: the chain of tasks, each begun by the end of the one before it,
// from the step's end back to its start. Making anything that is not on it faster changes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/graph/replay.h"
#include "replay/graph/task_graph.h"
#include "tables/run/columns.h"
#include "trace/analysis.h"
#include "trace/code/line_ids.h"

namespace laptime::replay {

struct PathPart {
  std::uint32_t track = 0;
  std::string name;  // the outermost op, the wait, the kernel; "python": the program's own code;
                     // "launch latency"
  std::uint32_t call_site = 0;  // Run::call_sites
  std::int64_t ns = 0;
};

// In the order of time; neighbours that are alike are one. Sums to the step's wall time. `step`: of
// the graph.
std::vector<PathPart> critical_path(const GraphSource& source, const TaskGraph& graph,
                                    const Replay& replay, std::uint32_t step);
// The same of a step in the long run (replay.h): where GPUs fall behind the host, from the end of
// their work.
std::vector<PathPart> steady_path(const GraphSource& source, const TaskGraph& graph,
                                  const Replay& replay, std::uint32_t step);

// Parts with the same name and line added up, the largest first.
std::vector<PathPart> sum_path(const LineIds& lines, const std::vector<PathPart>& path);

// Table `critical_path`: of a median step and of a slow one (the 95th percentile) of each phase.
Table critical_path_table(const Analysis& analysis);
extern const TableDefinition kCriticalPathTable;

}  // namespace laptime::replay
