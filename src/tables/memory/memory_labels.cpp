#include "tables/memory/memory_labels.h"

#include <fmt/format.h>

namespace laptime {

std::optional<std::string> device_label(const Run& run, std::uint32_t process,
                                        std::uint32_t device) {
  const std::string_view name = run.strings[device];
  if (name.empty()) return std::nullopt;
  if (run.processes.size() < 2) return std::string(name);
  return fmt::format("{} (pid {})", name, run.processes[process].pid);
}

}  // namespace laptime
