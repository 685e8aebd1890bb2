#include "sigterm.h"

#include <sys/syscall.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>

#include "base/clock.h"
#include "record/collector.h"

namespace nb = nanobind;

namespace laptime::python {

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kToAnswer = kSecond;
// A signal that came just before a blocking call is not handled until the next one interrupts that
// call.
constexpr std::uint64_t kAgain = kSecond / 10;
constexpr std::uint64_t kToWrite = 5 * kSecond;

// A signal handler reads and writes all of this. So these are lock-free atomics, or numbers that
// are written before it is installed.
int answers = 0;  // the signal whose Python handler writes the counts
std::uint32_t unwritten = 0;
std::atomic<pid_t> python_process{0};
std::atomic<std::uint64_t> deadline{0};  // 0: no request to end this process
std::atomic<int> timer{-1};

void set_default(int number) {
  struct sigaction as_ever{};
  as_ever.sa_handler = SIG_DFL;
  ::sigaction(number, &as_ever, nullptr);
}

[[noreturn]] void end_process() {
  set_default(SIGTERM);
  ::raise(SIGTERM);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, SIGTERM);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);  // in the handler it is blocked
  ::_exit(128 + SIGTERM);
}

// System calls, because libc's functions may allocate.
bool create_timer() {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = answers;
  int created = -1;
  if (::syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &created) != 0) return false;
  timer = created;
  return true;
}

// `again`: 0, or the time from one signal to the next.
bool set_timer(std::uint64_t ns, std::uint64_t again = 0) {
  const auto spec = [](std::uint64_t t) {
    return timespec{static_cast<time_t>(t / kSecond), static_cast<long>(t % kSecond)};
  };
  const itimerspec at{spec(again), spec(ns)};
  return ::syscall(SYS_timer_settime, timer.load(), 0, &at, nullptr) == 0;
}

void end_if_overdue() {
  if (monotonic_ns() < deadline) return;
  record::warn(unwritten);
  end_process();
}

// The timer's signal. Not SIGTERM again, because the program may have chained its own handler
// behind ours (faulthandler's).
void on_timer(int) {
  const int error_before = errno;
  if (python_process == ::getpid()) end_if_overdue();
  errno = error_before;
}

void handle(int number, void (*handler)(int)) {
  struct sigaction ours{};
  ours.sa_handler = handler;
  ours.sa_flags = SA_ONSTACK;  // like Python's own
  sigemptyset(&ours.sa_mask);
  ::sigaction(number, &ours, nullptr);
}

void ask_python() {
  handle(answers, &on_timer);
  if (!create_timer() || !set_timer(kAgain, kAgain)) end_process();
  PyErr_SetInterruptEx(answers);
}

void on_sigterm(int) {
  const int error_before = errno;
  if (python_process != ::getpid() || !Py_IsInitialized()) end_process();
  std::uint64_t no_deadline = 0;
  if (deadline.compare_exchange_strong(no_deadline, monotonic_ns() + kToAnswer))
    ask_python();
  else
    end_if_overdue();
  errno = error_before;
}

void install(int answered_by) {
  answers = answered_by;
  set_default(answers);  // Python calls its handler; other code sees the earlier action
  unwritten =
      record::warning_index("sigterm", Severity::warning,
                            "SIGTERM came during a call that did not return in time: the counts of "
                            "Python code since the last step are missing");
  python_process = ::getpid();
  handle(SIGTERM, &on_sigterm);
}

void uninstall() {
  struct sigaction now{};
  if (::sigaction(SIGTERM, nullptr, &now) == 0 && now.sa_handler == &on_sigterm)
    set_default(SIGTERM);
}

void after_fork() {
  deadline = 0;
  python_process = ::getpid();
}

void answer() {
  deadline = monotonic_ns() + kToWrite;
  set_timer(kToWrite);
}

}  // namespace

void bind_sigterm(nb::module_& module) {
  nb::module_ m =
      module.def_submodule("sigterm", "Counts are written before SIGTERM ends the process.");
  m.def("install", &install, nb::arg("answered_by"));
  m.def("uninstall", &uninstall);
  m.def("after_fork", &after_fork);
  m.def("answer", &answer);
  m.def("end_process", [] { end_process(); });
}

}  // namespace laptime::python
