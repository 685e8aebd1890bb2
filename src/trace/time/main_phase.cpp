#include "trace/time/main_phase.h"

#include <algorithm>
#include <map>

#include "format/names.h"

namespace laptime {

std::optional<PhaseKey> find_main_phase(const Run& run, const std::vector<HostStep>& steps,
                                        std::optional<std::uint32_t> process) {
  std::map<PhaseKey, double> totals;
  for (const HostStep& s : steps)
    if (!process || run.tracks[s.step.track].process == *process)
      totals[phase_of(s.step)] += static_cast<double>(s.step.wall_ns);
  if (totals.empty()) return std::nullopt;
  const std::uint32_t train = run.strings.find(span_name::kTrain);
  const auto weight = [&](const auto& entry) {
    return std::pair(entry.first.phase == train, entry.second);
  };
  return std::max_element(totals.begin(), totals.end(),
                          [&](const auto& a, const auto& b) { return weight(a) < weight(b); })
      ->first;
}

}  // namespace laptime
