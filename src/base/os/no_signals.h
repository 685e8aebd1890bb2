// Threads started during this object's lifetime have all signals blocked: signals belong to the
// program. Faults stay unblocked: if a fault is blocked, the kernel ends the process, whatever its
// handler is.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace laptime {

class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    ::sigfillset(&all);
    for (const int fault : {SIGBUS, SIGSEGV, SIGFPE, SIGILL}) ::sigdelset(&all, fault);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  NoSignals(const NoSignals&) = delete;
  ~NoSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace laptime
