// Separates signals to this process alone from signals to its whole process group.
//
// `laptime run` and its program are in one group. Signals to the group reach the program directly.
// Signals to `laptime run` alone must be passed on. The kernel does not report which of both a
// signal was. So a small process in the same group blocks all signals and reports what it received.
#pragma once

#include <sys/types.h>
#include <optional>
#include <utility>

#include "base/os/file.h"

namespace laptime {

class GroupWitness {
 public:
  // Contract: all signals are blocked. Nothing if no process can be created.
  static std::optional<GroupWitness> start();
  GroupWitness(GroupWitness&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)), talk_(std::move(other.talk_)) {}
  ~GroupWitness();

  pid_t pid() const { return pid_; }
  // Whether the group received it, too. Waits some milliseconds, because a scheduler signals one
  // process after the other.
  bool saw(int signal);
  // Sends SIGCONT to this process as soon as `program` is no longer stopped. Valid until the next
  // call of this object.
  void wake_me_with(pid_t program);

 private:
  GroupWitness(pid_t pid, UniqueFd talk) : pid_(pid), talk_(std::move(talk)) {}
  pid_t pid_;      // 0: moved from
  UniqueFd talk_;  // closed if it did not answer
};

}  // namespace laptime
