#include "collect/python/budget.h"

#include <sys/resource.h>
#include <time.h>

#include <algorithm>

namespace laptime::python {

namespace {

constexpr double kGraceSeconds = 0.002;   // start-up may cost this much at once
constexpr double kBucketSeconds = 0.020;  // the most that is ever saved up
constexpr double kShortSeconds =
    0.0005;  // less than a time slice: rarely interrupted, so not worth a system call

// The kernel's counts for a thread at the last query, and what was returned since.
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

// `elapsed` ticks minus the time that the calling thread waited for a processor. Short times are
// returned unchanged. If the thread also waited for something else (a lock, a disk, a GPU), the
// whole time counts. Makes at most two system calls.
std::uint64_t usable_ticks(std::uint64_t elapsed, double ticks_per_second) {
  const double seconds = static_cast<double>(elapsed) / ticks_per_second;
  if (seconds >= kShortSeconds)
    return static_cast<std::uint64_t>(usable_seconds(seconds) * ticks_per_second);
  last.returned_seconds += seconds;
  return elapsed;
}

}  // namespace

void Budget::start(double share, double ticks_per_second, std::uint64_t now) {
  share_ = share;
  ticks_per_second_ = ticks_per_second;
  balance_ = kGraceSeconds * ticks_per_second;
  capacity_ = kBucketSeconds * ticks_per_second;
  filled_at_ = now;
}

bool Budget::spend(std::int64_t events, double ticks_per_event, std::uint64_t now) {
  if (!limited()) return true;
  const std::uint64_t elapsed =
      now > filled_at_ ? usable_ticks(now - filled_at_, ticks_per_second_) : 0;
  filled_at_ = now;
  balance_ = std::min(capacity_, balance_ + share_ * static_cast<double>(elapsed));
  const double cost = static_cast<double>(events) * ticks_per_event;
  balance_ -= cost;
  paid_.fetch_add(static_cast<std::uint64_t>(cost), std::memory_order_relaxed);
  return balance_ >= 0;
}

}  // namespace laptime::python
