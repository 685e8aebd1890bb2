// What the processors that this process, and so its program, may use have done since the machine
// started.
#pragma once

#include <cstdint>
#include <optional>

namespace laptime {

struct MachineLoad {
  unsigned cpus;  // by affinity
  std::int64_t
      busy_ns;  // of all of them, whoever used them; what a hypervisor gave to others is in it
};

// Nothing where the system does not tell.
std::optional<MachineLoad> read_machine_load();
// What they did since then.
std::optional<MachineLoad> load_since(const std::optional<MachineLoad>& before);

}  // namespace laptime
