// Runs a program as if it had been started directly: same terminal, same streams, same signals,
// same end.
//
// Contract: each signal sent to this process, to its group or to its program reaches the program
// once. A signal to this process alone is passed on. When the program stops (Ctrl-Z), this process
// stops too, so that a shell sees it. If SIGKILL ends this process, it also ends the program.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace laptime {

struct ChildEnd {
  int start_error = 0;  // errno of exec: the program did not start
  int exit_code = 0;
  int signal = 0;  // that ended it, 0 if none
  std::int64_t wall_ns = 0, cpu_user_ns = 0, cpu_system_ns = 0, max_rss_bytes = 0;
};

using Environment = std::vector<std::pair<std::string, std::string>>;

// Runs `command` with `added` in its environment and waits for it. Fails only if no process could
// be made. From then on all signals are blocked, so that none ends this process before it has
// sealed the run.
Result<ChildEnd> run_child(const std::vector<std::string>& command, const Environment& added);

// Ends this process in the same way as the child: by the same signal, without a second core file.
[[noreturn]] void end_as(const ChildEnd& end);

// From now on a signal that would end this process ends it as the child ended. False if such a
// signal came since the child ended: its sender wants this process to end now.
bool end_as_on_signals(const ChildEnd& end);

}  // namespace laptime
