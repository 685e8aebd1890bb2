// A thread's position for its next record. A collector may use it to store a record without a call.
// Only the owner moves `next` and uses `writing`. Starting and stopping a recording set `end` to
// null from another thread. Then the owner's next record takes the recorder's slow path.
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

// Room for `count` consecutive records. Null if the slow path must find some.
inline RawRecord* reserve(Cursor& cursor, std::size_t count) {
  RawRecord* const at = cursor.next;
  const RawRecord* const end = cursor.end.load(std::memory_order_relaxed);
  // An integer addition, because `at` is null before the first room.
  return reinterpret_cast<std::uintptr_t>(at) + count * sizeof *at <=
                 reinterpret_cast<std::uintptr_t>(end)
             ? at
             : nullptr;
}

// Prefetches the cache line of the record after the next one, for writing. Assumption: between two
// records the program works long enough for the line to arrive. Without the prefetch, the store
// would wait for memory, and the program's next atomic operation for the store.
inline void expect_record(const RawRecord* next) {
  const std::uintptr_t ahead = reinterpret_cast<std::uintptr_t>(next) + 64;
#if defined(__x86_64__)
  asm volatile("prefetchw (%0)" : : "r"(ahead));  // processors without it execute it as a no-op
#else
  __builtin_prefetch(reinterpret_cast<const void*>(ahead), 1);
#endif
}

// Makes the records up to `next` visible to all readers of the slot, now or after the process has
// ended.
inline void publish(Cursor& cursor, RawRecord* next) {
  cursor.next = next;
  cursor.writing->header.used.store(static_cast<std::uint32_t>(next - cursor.writing->records),
                                    std::memory_order_release);
  expect_record(next);
}

}  // namespace laptime::record
