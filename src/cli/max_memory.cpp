#include "base/os/memory_limit.h"
#include "cli/command.h"

namespace laptime {

void add_max_memory(CLI::App& command) {
  command
      .add_option_function<std::uint64_t>(
          "--max-memory", set_max_memory,
          "Read runs that need up to this much memory, e.g. 500MB or 16GB. Default: the available "
          "memory, in proportion to the file")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::PositiveNumber)
      ->envname("LAPTIME_MAX_MEMORY")
      ->type_name("SIZE");
}

}  // namespace laptime
