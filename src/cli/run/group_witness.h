// Tells signals that were sent to this process alone from those that its whole process group got.
//
// `laptime run` and its program are in one group. What is sent to the group reaches the program by
// itself; what is sent to `laptime run` alone has to be passed on. The kernel does not say which of
// both it was, so a small process in the same group blocks all signals and reports what it got.
#pragma once

#include <sys/types.h>
#include <optional>
#include <utility>

#include "base/os/file.h"

namespace laptime {

class GroupWitness {
 public:
  // Contract: all signals are blocked. Nothing if no process can be made.
  static std::optional<GroupWitness> start();
  GroupWitness(GroupWitness&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)), talk_(std::move(other.talk_)) {}
  ~GroupWitness();

  pid_t pid() const { return pid_; }
  // Whether the group got it too. Waits some milliseconds: a scheduler signals one process after
  // the other.
  bool saw(int signal);
  // Until the next call of this object: sends SIGCONT to this process as soon as `program` is no
  // longer stopped.
  void wake_me_with(pid_t program);

 private:
  GroupWitness(pid_t pid, UniqueFd talk) : pid_(pid), talk_(std::move(talk)) {}
  pid_t pid_;      // 0: moved from
  UniqueFd talk_;  // closed once it did not answer
};

}  // namespace laptime
