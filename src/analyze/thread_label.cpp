#include "analyze/thread_label.h"

#include <fmt/format.h>

namespace laptime {

std::string thread_label(const Run& run, const Track& track) {
  if (run.processes.size() < 2) return track.name;
  return fmt::format("{} (pid {})", track.name, run.processes[track.process].pid);
}

}  // namespace laptime
