#include "collect/python/usable_time.h"

#include <sys/resource.h>
#include <time.h>

#include <algorithm>

namespace laptime::python {

namespace {

constexpr double kShortSeconds =
    0.0005;  // less than a time slice: rarely interrupted, and not worth a system call

// What the kernel counted for a thread when it was last looked at, and what has been returned
// since.
struct ThreadUse {
  long voluntary = 0, involuntary = 0;
  double cpu_seconds = 0, returned_seconds = 0;
};
thread_local ThreadUse last;

double thread_cpu_seconds() {
  timespec cpu{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
  return static_cast<double>(cpu.tv_sec) + 1e-9 * static_cast<double>(cpu.tv_nsec);
}

double usable_seconds(double elapsed) {
  rusage use{};
  if (::getrusage(RUSAGE_THREAD, &use) != 0) return elapsed;
  const ThreadUse before = last;
  last = {use.ru_nvcsw, use.ru_nivcsw, thread_cpu_seconds(), 0};
  const bool was_interrupted = use.ru_nivcsw != before.involuntary,
             waited = use.ru_nvcsw != before.voluntary;
  if (!was_interrupted || waited) return elapsed;
  return std::clamp(last.cpu_seconds - before.cpu_seconds - before.returned_seconds, 0.0, elapsed);
}

}  // namespace

std::uint64_t usable_ticks(std::uint64_t elapsed, double ticks_per_second) {
  const double seconds = static_cast<double>(elapsed) / ticks_per_second;
  if (seconds >= kShortSeconds)
    return static_cast<std::uint64_t>(usable_seconds(seconds) * ticks_per_second);
  last.returned_seconds += seconds;
  return elapsed;
}

}  // namespace laptime::python
