#include "cli/run/signal_relay.h"

#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <ctime>

namespace laptime {

namespace {

sigset_t all_signals() {
  sigset_t all;
  sigfillset(&all);
  return all;
}

sigset_t only(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  return set;
}

void drop_pending(int signal) {
  const sigset_t set = only(signal);
  constexpr timespec kNow{};
  while (::sigtimedwait(&set, nullptr, &kNow) == signal) {
  }
}

bool comes_from_a_process(const siginfo_t& info) { return info.si_code <= 0; }

}  // namespace

int SignalRelay::wait(rusage& usage) {
  const sigset_t all = all_signals();
  int status = 0;
  while (!has_ended(status, usage)) {
    siginfo_t info{};
    if (::sigwaitinfo(&all, &info) < 0) continue;
    if (info.si_signo != SIGCHLD || comes_from_a_process(info)) take(info);
  }
  return status;
}

// Also follows the program when it stops.
bool SignalRelay::has_ended(int& status, rusage& usage) {
  while (::wait4(program_, &status, WNOHANG | WUNTRACED, &usage) == program_) {
    if (!WIFSTOPPED(status)) return true;
    stop_with(WSTOPSIG(status));
  }
  return false;
}

void SignalRelay::take(const siginfo_t& info) {
  if (witness_ && comes_from_a_process(info) && info.si_pid == witness_->pid())
    return;  // the witness woke this process
  if (!group_got(info)) pass_on(info);
}

bool SignalRelay::group_got(const siginfo_t& info) {
  const int signal = info.si_signo;
  if (!witness_)
    return !comes_from_a_process(
        info);  // the kernel signals the terminal's whole group, people mostly one process
  if (!witness_->saw(signal)) return false;
  if (signal < SIGRTMIN)
    drop_pending(signal);  // `timeout` signals first the process, then its group
  return true;
}

void SignalRelay::pass_on(const siginfo_t& info) const {
  // A signal from the program to its parent is for the process that started `laptime run`.
  const pid_t receiver =
      comes_from_a_process(info) && info.si_pid == program_ ? ::getppid() : program_;
  if (info.si_code == SI_QUEUE)
    ::sigqueue(receiver, info.si_signo, info.si_value);
  else
    ::kill(receiver, info.si_signo);
}

void SignalRelay::stop_with(int signal) {
  if (witness_) witness_->wake_me_with(program_);
  std::signal(signal, SIG_DFL);
  const sigset_t set = only(signal);
  ::raise(signal);
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);  // stops here
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
}

}  // namespace laptime
