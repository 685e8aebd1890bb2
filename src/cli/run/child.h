// A program run on somebody's behalf: same terminal, same streams, same signals, same end.
//
// Contract: each signal that is sent to this process, to its group or to its program reaches the
// program once. A signal to this process alone is passed on. When the program stops (Ctrl-Z), this
// process stops too, and so a shell sees it. If this process is killed with SIGKILL, so is the
// program.
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

// Runs `command` with `added` in its environment and waits for it. An error only when no process
// could be made. All signals are blocked from then on, so that none ends this process before it has
// kept what the program recorded.
Result<ChildEnd> run_child(const std::vector<std::string>& command, const Environment& added);

// Ends this process as the child ended: by the same signal, without a second core file.
[[noreturn]] void end_as(const ChildEnd& end);

// From now on a signal that ends programs ends this process as the child ended. False if one has
// come since the child ended: its sender wants this process to end now.
bool end_as_on_signals(const ChildEnd& end);

}  // namespace laptime
