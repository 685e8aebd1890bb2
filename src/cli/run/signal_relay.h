// Waits for a program, and passes on signals to this process alone (contract: child.h).
#pragma once

#include <sys/resource.h>
#include <sys/types.h>
#include <csignal>
#include <optional>

#include "cli/run/group_witness.h"

namespace laptime {

class SignalRelay {
 public:
  // Contract: all signals are blocked.
  explicit SignalRelay(pid_t program) : program_(program), witness_(GroupWitness::start()) {}

  // Waits for the program's end. Returns its status from wait4.
  int wait(rusage& usage);

 private:
  bool has_ended(int& status, rusage& usage);
  void take(const siginfo_t& info);
  bool group_got(const siginfo_t& info);
  void pass_on(const siginfo_t& info) const;
  void stop_with(int signal);

  pid_t program_;
  std::optional<GroupWitness> witness_;
};

}  // namespace laptime
