// The hot path: records are stored in the thread's slot and published together.
#pragma once

#include <cstddef>

#include "record/records.h"
#include "record/thread_state.h"

namespace laptime::record {

// A plain pointer in static TLS. Reading it is one instruction, without a call into the dynamic
// linker.
extern __attribute__((tls_model("initial-exec"),
                      visibility("hidden"))) thread_local constinit ThreadState* this_thread;

// Slow paths: for a thread's first record, and the last one of each slot. Null if nothing can be
// stored.
__attribute__((cold, visibility("hidden"))) ThreadState* attach_this_thread() noexcept;
__attribute__((cold, visibility("hidden"))) RawRecord* renew_slot(ThreadState& thread,
                                                                  std::size_t count) noexcept;

inline ThreadState* thread_state() noexcept {
  return this_thread ? this_thread : attach_this_thread();
}

inline RawRecord span_record(const Span& span) {
  return {span.start,      span.end,   span.link,
          span.name,       span.track, static_cast<std::uint8_t>(span.kind),
          RecordType::span};
}

// Stores a group of records in `thread`'s slot, all or none.
inline void put_records(ThreadState& thread, const RawRecord* records, std::size_t count) noexcept {
  RawRecord* at = reserve(thread, count);
  if (!at) [[unlikely]] {
    at = renew_slot(thread, count);
    if (!at) return;
  }
  for (std::size_t i = 0; i < count; ++i) at[i] = records[i];
  publish(thread, at + count);
}

inline void put_record(const RawRecord& record) noexcept {
  if (ThreadState* const thread = thread_state()) [[likely]]
    put_records(*thread, &record, 1);
}

}  // namespace laptime::record
