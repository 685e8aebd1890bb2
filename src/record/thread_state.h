// The state of a recording thread: its cursor, and the recorder's data about it.
//
// The owner takes `slot` by exchange when it is full, or stop() does at the end. The one that gets
// it passes it to the encoder. So it arrives there exactly once.
#pragma once

#include "record/cursor.h"

namespace laptime::record {

struct ThreadState : Cursor {
  std::atomic<Slot*> slot{nullptr};  // equals `writing` until it is taken
  std::uint32_t track = 0;
  std::uint32_t epoch = 0;  // of the recording that `slot` and `track` belong to
  std::uint32_t name = 0;   // given by the program
  std::uint64_t os_thread =
      // written with `track` and `epoch` under the registry's lock, so that other threads may read
      // it
      0;
  std::uint64_t step_start = 0;        // ticks
  ThreadState* next_thread = nullptr;  // registry
  ThreadState* previous_thread = nullptr;
};

}  // namespace laptime::record
