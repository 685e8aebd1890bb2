// Where a thread's next record goes: the part of its state that a collector may use itself, to
// store a record without a call. Only the owner moves `next` and uses `writing`; starting and
// stopping a recording set `end` to null from another thread, which sends the owner to the
// recorder's slow path at its next record.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "format/part.h"

namespace laptime::record {

struct Cursor {
  RawRecord* next = nullptr;
  std::atomic<RawRecord*> end{nullptr};
  Slot* writing = nullptr;
};

// Room for `count` records in a row, or null when the slow path must find some.
inline RawRecord* reserve(Cursor& cursor, std::size_t count) {
  RawRecord* const at = cursor.next;
  const RawRecord* const end = cursor.end.load(std::memory_order_relaxed);
  // Not by adding to `at`, which is null before the first room.
  return reinterpret_cast<std::uintptr_t>(at) + count * sizeof *at <=
                 reinterpret_cast<std::uintptr_t>(end)
             ? at
             : nullptr;
}

// Brings the line of the record after the next one into this core's cache, to be written.
// Assumption: between two records a program does enough for the line to arrive. Without it the
// store would wait for memory, and the program's next atomic operation for the store.
inline void expect_record(const RawRecord* next) {
  const std::uintptr_t ahead = reinterpret_cast<std::uintptr_t>(next) + 64;
#if defined(__x86_64__)
  asm volatile("prefetchw (%0)" : : "r"(ahead));  // processors without it take it for nothing
#else
  __builtin_prefetch(reinterpret_cast<const void*>(ahead), 1);
#endif
}

// Makes the records up to `next` readable by whoever looks at the slot, now or after the process is
// gone.
inline void publish(Cursor& cursor, RawRecord* next) {
  cursor.next = next;
  cursor.writing->header.used.store(static_cast<std::uint32_t>(next - cursor.writing->records),
                                    std::memory_order_release);
  expect_record(next);
}

}  // namespace laptime::record
