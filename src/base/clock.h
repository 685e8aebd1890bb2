// The one clock of a run.
//
// Assumption: with an invariant TSC (x86-64, CPUID 0x80000007 bit 8) rdtsc counts at one rate on
// all cores and in all processes. Consequence: ticks taken anywhere on the machine compare, and a
// tick costs no call. Elsewhere a tick is a nanosecond of CLOCK_MONOTONIC. Contract: ticks() is
// never zero, so callers may use 0 for "not started".
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace laptime {

bool tsc_is_invariant();
std::uint64_t monotonic_ns();
std::uint64_t realtime_ns();
std::uint64_t thread_cpu_ns();
std::uint64_t process_cpu_ns();

// Decided once, before main, so branches on it are predicted. A class, because only objects of
// class type can be initialised before other constructors.
struct TscChoice {
  const bool use = tsc_is_invariant();
};
extern const TscChoice kTscChoice;

inline std::uint64_t ticks() {
#if defined(__x86_64__)
  if (kTscChoice.use) [[likely]]
    return __rdtsc();
#endif
  return monotonic_ns();
}

// A moment read on both clocks at once.
struct ClockPoint {
  std::uint64_t ticks;
  std::uint64_t monotonic_ns;
  std::uint64_t realtime_ns;
};
ClockPoint read_clock_point();

// Turns ticks into nanoseconds since `origin_ticks`, in 32.32 fixed point. Exact to 1 ns over 2^31
// ticks, and always monotonic. A reader corrects the error of the measured rate with the clock
// points in the file.
class TickScale {
 public:
  // The rate comes from the kernel's own calibration if that is published. Otherwise it is measured
  // for about a millisecond.
  static TickScale calibrate();
  static TickScale from_rate(std::uint64_t origin_ticks, double ns_per_tick);

  std::uint64_t to_ns(std::uint64_t t) const {
    const auto delta = static_cast<__int128>(static_cast<std::int64_t>(t - origin_));
    const auto ns = (delta * static_cast<__int128>(ns_per_tick_)) >> 32;
    return static_cast<std::uint64_t>(ns);
  }
  std::uint64_t origin_ticks() const { return origin_; }
  double ns_per_tick() const { return static_cast<double>(ns_per_tick_) / 4294967296.0; }

 private:
  std::uint64_t origin_ = 0;
  std::uint64_t ns_per_tick_ = 1ull << 32;
};

}  // namespace laptime
