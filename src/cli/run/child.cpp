#include "cli/run/child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "base/clock.h"
#include "base/os/file.h"
#include "cli/run/signal_relay.h"

namespace laptime {

namespace {

// Blocks all signals. The child gets the previous mask, so the program starts as it would without
// laptime.
class AllBlocked {
 public:
  AllBlocked() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before_);
    // Ignoring SIGCHLD would lose the program's exit status.
    const struct sigaction usual{};
    sigaction(SIGCHLD, &usual, &child_before_);
  }
  void undo() const {
    sigaction(SIGCHLD, &child_before_, nullptr);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_;
  struct sigaction child_before_;
};

[[noreturn]] void become(const std::vector<std::string>& command, const Environment& added,
                         int error_pipe) {
  for (const auto& [key, value] : added) ::setenv(key.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  const int error = errno;
  (void)!::write(error_pipe, &error, sizeof error);
  ::_exit(127);
}

std::int64_t nanoseconds(const timeval& t) {
  return (static_cast<std::int64_t>(t.tv_sec) * 1'000'000 + t.tv_usec) * 1000;
}

ChildEnd wait_for(SignalRelay& relay) {
  ChildEnd end;
  rusage usage{};
  const int status = relay.wait(usage);
  if (WIFSIGNALED(status))
    end.signal = WTERMSIG(status);
  else
    end.exit_code = WEXITSTATUS(status);
  end.cpu_user_ns = nanoseconds(usage.ru_utime);
  end.cpu_system_ns = nanoseconds(usage.ru_stime);
  end.max_rss_bytes = usage.ru_maxrss * 1024;
  return end;
}

constexpr int kEndPrograms[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
                                SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU};
const ChildEnd* end_on_signals = nullptr;

}  // namespace

Result<ChildEnd> run_child(const std::vector<std::string>& command, const Environment& added) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return errno_error(ErrorKind::system, "cannot start " + command[0], errno);
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  const AllBlocked signals;
  const std::uint64_t begin = monotonic_ns();
  const pid_t self = ::getpid(), child = ::fork();
  if (child < 0) return errno_error(ErrorKind::system, "cannot start " + command[0], errno);
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != self) ::_exit(128 + SIGKILL);
    signals.undo();
    become(command, added, write_end.get());
  }
  SignalRelay relay(child);
  write_end.reset();
  int start_error = 0;
  ssize_t got;
  while ((got = ::read(read_end.get(), &start_error, sizeof start_error)) < 0 && errno == EINTR) {
  }
  ChildEnd end = wait_for(relay);
  end.wall_ns = static_cast<std::int64_t>(monotonic_ns() - begin);
  if (got == sizeof start_error) end.start_error = start_error;
  return end;
}

void end_as(const ChildEnd& end) {
  if (end.signal != 0) {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    std::signal(end.signal, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, end.signal);
    ::raise(end.signal);
    sigprocmask(SIG_UNBLOCK, &only, nullptr);
  }
  ::_exit(end.signal != 0 ? 128 + end.signal : end.exit_code);
}

bool end_as_on_signals(const ChildEnd& end) {
  sigset_t ending, pending;
  sigemptyset(&ending);
  for (const int signal : kEndPrograms) sigaddset(&ending, signal);
  sigpending(&pending);
  for (const int signal : kEndPrograms)
    if (sigismember(&pending, signal)) return false;
  end_on_signals = &end;
  for (const int signal : kEndPrograms) std::signal(signal, [](int) { end_as(*end_on_signals); });
  sigprocmask(SIG_UNBLOCK, &ending, nullptr);
  return true;
}

}  // namespace laptime
