// The main thread and phase of a program: training if there is any, else the phase that took
// longest. Of several stepping threads, the one that spent most time in it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/run/run.h"
#include "trace/time/host_time.h"

namespace laptime {

struct PhaseKey {
  std::uint32_t track = 0, phase = 0;  // Run::tracks, Run::strings

  auto operator<=>(const PhaseKey&) const = default;
};
inline PhaseKey phase_of(const Step& step) { return {step.track, step.phase}; }

// Of all processes, or of one. Nothing without steps.
std::optional<PhaseKey> find_main_phase(const Run& run, const std::vector<HostStep>& steps,
                                        std::optional<std::uint32_t> process = std::nullopt);

}  // namespace laptime
