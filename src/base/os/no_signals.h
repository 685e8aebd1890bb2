// Threads that are started while one of these lives are born with all signals blocked: those are
// the program's. Faults stay open: the kernel ends a process that faults while the signal is
// blocked, whatever its handler.
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
