// Where a thread's next record goes: the part of its state that a collector may use itself, to store a record without a
// call. Only the owner moves `next` and uses `writing`; starting and stopping a recording set `end` to null from another
// thread, which sends the owner to the recorder's slow path at its next record.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "format/part.h"

namespace laptime::record {

struct Lane {
  RawUnit* next = nullptr;
  std::atomic<RawUnit*> end{nullptr};
  Slot* writing = nullptr;
};

// Room for `count` units in a row, or null when the slow path must find some.
inline RawUnit* reserve(Lane& lane, std::size_t count) {
  RawUnit* const at = lane.next;
  const RawUnit* const end = lane.end.load(std::memory_order_relaxed);
  return at + count <= end ? at : nullptr;
}

// Makes the units up to `next` readable by whoever looks at the slot, now or after the process is gone.
inline void publish(Lane& lane, RawUnit* next) {
  lane.next = next;
  lane.writing->header.used.store(static_cast<std::uint32_t>(next - lane.writing->units), std::memory_order_release);
}

}  // namespace laptime::record
