// The critical path of a step: the chain of tasks, each begun by the end of the previous one, from
// the step's end back to its start. Only changes to tasks on it change the step's time.
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
  // The outermost op, the wait, the kernel, "launch latency", or "python" for the program's own
  // code.
  std::string name;
  std::uint32_t call_site = 0;  // Run::call_sites
  std::int64_t ns = 0;
};

// In order of time. Equal neighbours are joined. Sums to the step's wall time. `step`: of the
// graph.
std::vector<PathPart> critical_path(const GraphSource& source, const TaskGraph& graph,
                                    const Replay& replay, std::uint32_t step);
// The same for a step in the long run (replay.h). If GPUs are slower than the host, it starts from
// the end of their work.
std::vector<PathPart> steady_path(const GraphSource& source, const TaskGraph& graph,
                                  const Replay& replay, std::uint32_t step);

// The sums of parts with the same name and line, the largest first.
std::vector<PathPart> sum_path(const LineIds& lines, const std::vector<PathPart>& path);

// Table `critical_path`: a median step and a slow one (the 95th percentile) of each phase.
Table critical_path_table(const Analysis& analysis);
extern const TableDefinition kCriticalPathTable;

}  // namespace laptime::replay
