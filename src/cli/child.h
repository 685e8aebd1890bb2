// A program run on somebody's behalf: same terminal, same streams, same signals, same end.
//
// While it runs, interrupts from the keyboard are the program's alone, and SIGTERM and SIGHUP are passed on to it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace laptime {

struct ChildEnd {
  int start_error = 0;  // errno of exec: the program never ran
  int exit_code = 0;
  int signal = 0;  // that killed it, 0 if none
  std::int64_t wall_ns = 0, cpu_user_ns = 0, cpu_system_ns = 0, max_rss_bytes = 0;
};

using Environment = std::vector<std::pair<std::string, std::string>>;

// Runs `command` with `added` in its environment and waits for it. An error only when no process could be made.
Result<ChildEnd> run_child(const std::vector<std::string>& command, const Environment& added);

// Ends this process as the child ended: by the same signal, without a second core file. Returns when the signal does not
// kill, with the exit code that shells give for it.
int end_by_signal(int signal);

}  // namespace laptime
