#include "tables/run/thread_label.h"

#include <fmt/format.h>
#include <algorithm>

namespace laptime {

std::string thread_label(const Run& run, const Track& track) {
  if (run.processes.size() < 2) return track.name;
  return fmt::format("{} (pid {})", track.name, run.processes[track.process].pid);
}

std::optional<std::string> threads_text(const RowThreads& row, const Run& run, Threads threads) {
  const auto counting = std::count_if(run.tracks.begin(), run.tracks.end(),
                                      [](const Track& track) { return track.tallies.size() != 0; });
  if (row.count() == 0 || (threads == Threads::together && counting < 2)) return std::nullopt;
  return row.count() == 1 ? thread_label(run, run.tracks[row.last()])
                          : fmt::format("{} threads", row.count());
}

}  // namespace laptime
