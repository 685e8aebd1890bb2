#include "cli/child.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

namespace laptime {

namespace {

constexpr int kPassedOn[] = {SIGTERM, SIGHUP};
constexpr int kLeftToChild[] = {SIGINT, SIGQUIT};

volatile sig_atomic_t child_pid = 0;

void pass_on(int signal) { ::kill(static_cast<pid_t>(child_pid), signal); }

// Holds the signals from before the fork until the parent knows whom to pass them on to.
class SignalGuard {
 public:
  SignalGuard() {
    sigset_t held;
    sigemptyset(&held);
    for (const int s : kPassedOn) sigaddset(&held, s);
    for (const int s : kLeftToChild) sigaddset(&held, s);
    sigprocmask(SIG_BLOCK, &held, &before_);
  }
  void release_in_child() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  void release_in_parent(pid_t child) {
    child_pid = child;
    for (const int s : kLeftToChild) std::signal(s, SIG_IGN);
    for (const int s : kPassedOn) {
      struct sigaction now{};
      sigaction(s, nullptr, &now);
      if (now.sa_handler == SIG_IGN) continue;  // nohup stays nohup
      struct sigaction action{};
      action.sa_handler = pass_on;
      sigaction(s, &action, nullptr);
    }
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_;
};

[[noreturn]] void become(const std::vector<std::string>& command, const Environment& added, int error_pipe) {
  for (const auto& [key, value] : added) ::setenv(key.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  const int error = errno;
  (void)!::write(error_pipe, &error, sizeof error);
  ::_exit(127);
}

std::int64_t nanoseconds(const timeval& t) { return (static_cast<std::int64_t>(t.tv_sec) * 1'000'000 + t.tv_usec) * 1000; }

ChildEnd wait_for(pid_t child) {
  ChildEnd end;
  int status = 0;
  rusage usage{};
  while (::wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    end.signal = WTERMSIG(status);
  else
    end.exit_code = WEXITSTATUS(status);
  end.cpu_user_ns = nanoseconds(usage.ru_utime);
  end.cpu_system_ns = nanoseconds(usage.ru_stime);
  end.max_rss_bytes = usage.ru_maxrss * 1024;
  return end;
}

}  // namespace

Result<ChildEnd> run_child(const std::vector<std::string>& command, const Environment& added) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno_error(ErrorKind::system, "cannot start " + command[0], errno);
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  SignalGuard signals;
  const std::uint64_t begin = monotonic_ns();
  const pid_t child = ::fork();
  if (child < 0) return errno_error(ErrorKind::system, "cannot start " + command[0], errno);
  if (child == 0) {
    signals.release_in_child();
    become(command, added, write_end.get());
  }
  signals.release_in_parent(child);
  write_end.reset();
  int start_error = 0;
  ssize_t got;
  while ((got = ::read(read_end.get(), &start_error, sizeof start_error)) < 0 && errno == EINTR) {
  }
  ChildEnd end = wait_for(child);
  end.wall_ns = static_cast<std::int64_t>(monotonic_ns() - begin);
  if (got == sizeof start_error) end.start_error = start_error;
  return end;
}

int end_by_signal(int signal) {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
  return 128 + signal;
}

}  // namespace laptime
