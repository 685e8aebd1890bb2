// The hot path itself: units go into the thread's slot and are published together.
#pragma once

#include <cstddef>

#include "record/records.h"
#include "record/thread_state.h"

namespace laptime::record {

// A plain pointer in static TLS: reading it is one instruction, without a call into the dynamic
// linker.
extern __attribute__((tls_model("initial-exec"),
                      visibility("hidden"))) thread_local constinit ThreadState* this_thread;

// Slow paths: a thread's first record, and every slot's last. Null when nothing can be stored.
__attribute__((cold, visibility("hidden"))) ThreadState* attach_this_thread() noexcept;
__attribute__((cold, visibility("hidden"))) RawUnit* renew_slot(ThreadState& thread,
                                                                std::size_t count) noexcept;

inline ThreadState* thread_state() noexcept {
  return this_thread ? this_thread : attach_this_thread();
}

inline RawUnit span_unit(const Span& span) {
  return {span.start,    span.end,   span.link,
          span.name,     span.track, static_cast<std::uint8_t>(span.kind),
          UnitType::span};
}

// Stores the units of one record in `thread`'s slot, all or none.
inline void put_units(ThreadState& thread, const RawUnit* units, std::size_t count) noexcept {
  RawUnit* at = reserve(thread, count);
  if (!at) [[unlikely]] {
    at = renew_slot(thread, count);
    if (!at) return;
  }
  for (std::size_t i = 0; i < count; ++i) at[i] = units[i];
  publish(thread, at + count);
}

inline void put_unit(const RawUnit& unit) noexcept {
  if (ThreadState* const thread = thread_state()) [[likely]]
    put_units(*thread, &unit, 1);
}

}  // namespace laptime::record
