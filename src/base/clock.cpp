#include "base/clock.h"

#include <time.h>
#include <cmath>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace laptime {

namespace {

std::uint64_t read_posix_clock(clockid_t id) {
  timespec ts;
  clock_gettime(id, &ts);
  return static_cast<std::uint64_t>(ts.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(ts.tv_nsec);
}

}  // namespace

bool tsc_is_invariant() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
#else
  return false;
#endif
}

// Initialised before any constructor of the program that could record.
__attribute__((init_priority(101))) const TscChoice kTscChoice;

std::uint64_t monotonic_ns() { return read_posix_clock(CLOCK_MONOTONIC); }
std::uint64_t realtime_ns() { return read_posix_clock(CLOCK_REALTIME); }
std::uint64_t thread_cpu_ns() { return read_posix_clock(CLOCK_THREAD_CPUTIME_ID); }
std::uint64_t process_cpu_ns() { return read_posix_clock(CLOCK_PROCESS_CPUTIME_ID); }

ClockPoint read_clock_point() {
  // The pair that was read in the shortest time is the least disturbed. realtime only dates the
  // run, so it may lag.
  ClockPoint best{};
  std::uint64_t best_gap = ~0ull;
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t before = ticks();
    const std::uint64_t ns = monotonic_ns();
    const std::uint64_t after = ticks();
    if (after - before < best_gap) {
      best_gap = after - before;
      best = {before + (after - before) / 2, ns, 0};
    }
  }
  best.realtime_ns = realtime_ns() - (monotonic_ns() - best.monotonic_ns);
  return best;
}

TickScale TickScale::from_rate(std::uint64_t origin_ticks, double ns_per_tick) {
  TickScale scale;
  scale.origin_ = origin_ticks;
  scale.ns_per_tick_ = static_cast<std::uint64_t>(std::llround(ns_per_tick * 4294967296.0));
  return scale;
}

TickScale TickScale::calibrate() {
  const ClockPoint start = read_clock_point();
  if (!kTscChoice.use) return from_rate(start.ticks, 1.0);
  while (monotonic_ns() - start.monotonic_ns < 1'000'000) {
  }
  const ClockPoint end = read_clock_point();
  const double rate = static_cast<double>(end.monotonic_ns - start.monotonic_ns) /
                      static_cast<double>(end.ticks - start.ticks);
  return from_rate(start.ticks, rate);
}

}  // namespace laptime
