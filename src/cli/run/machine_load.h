// The load, since the machine's start, of the processors that this process and its program may use.
#pragma once

#include <cstdint>
#include <optional>

namespace laptime {

struct MachineLoad {
  unsigned cpus;  // by affinity
  // Of all of them, used by any program. It includes time that a hypervisor gave to others.
  std::int64_t busy_ns;
};

// Nothing if the system does not report it.
std::optional<MachineLoad> read_machine_load();
// The load since then.
std::optional<MachineLoad> load_since(const std::optional<MachineLoad>& before);

}  // namespace laptime
