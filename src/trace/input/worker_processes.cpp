#include "trace/input/worker_processes.h"

#include <algorithm>
#include <unordered_set>

namespace laptime {

std::vector<bool> may_work_for(const Run& run, std::uint32_t process) {
  std::unordered_set<std::uint32_t> stepping;  // pids of other processes
  for (const Track& track : run.tracks) {
    const std::uint32_t pid = run.processes[track.process].pid;
    if (track.process == process || stepping.contains(pid)) continue;
    if (std::find(track.spans.kind.begin(), track.spans.kind.end(), SpanKind::step) !=
        track.spans.kind.end())
      stepping.insert(pid);
  }
  std::vector<bool> may(run.processes.size());
  for (std::size_t p = 0; p < may.size(); ++p)
    may[p] = !stepping.contains(run.processes[p].parent_pid) ||
             run.processes[p].parent_pid == run.processes[process].pid;
  return may;
}

}  // namespace laptime
