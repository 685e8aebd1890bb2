// What a recording thread owns: its current slot and its place in it.
//
// Only the owner moves `next` and uses `writing`. Starting and stopping a recording set `end` to null from another
// thread, which sends the owner to the slow path at its next record; there it learns what happened. Whoever takes `slot`
// by exchange, the owner when it is full or stop() at the end, hands it to the encoder: so it gets there once.
#pragma once

#include <atomic>
#include <cstdint>

#include "format/part.h"

namespace laptime::record {

struct ThreadState {
  RawUnit* next = nullptr;
  std::atomic<RawUnit*> end{nullptr};
  Slot* writing = nullptr;
  std::atomic<Slot*> slot{nullptr};  // the same, until somebody took it
  std::uint32_t track = 0;
  std::uint32_t epoch = 0;        // of the recording that `slot` and `track` belong to
  std::uint32_t name = 0;         // given by the program
  std::uint64_t os_thread = 0;    // with `track` and `epoch` written under the registry's lock, so that others may look
  std::uint64_t step_start = 0;   // ticks
  ThreadState* next_thread = nullptr;  // registry
  ThreadState* previous_thread = nullptr;
};

// Room for `count` units in a row, or null when the slow path must find some.
inline RawUnit* reserve(ThreadState& thread, std::size_t count) {
  RawUnit* const at = thread.next;
  const RawUnit* const end = thread.end.load(std::memory_order_relaxed);
  return at + count <= end ? at : nullptr;
}

// Makes the units up to `next` readable by whoever looks at the slot, now or after the process is gone.
inline void publish(ThreadState& thread, RawUnit* next) {
  thread.next = next;
  thread.writing->header.used.store(static_cast<std::uint32_t>(next - thread.writing->units), std::memory_order_release);
}

}  // namespace laptime::record
