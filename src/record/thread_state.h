// What a recording thread owns: its cursor, and what the recorder knows of it.
//
// Whoever takes `slot` by exchange, the owner when it is full or stop() at the end, hands it to the
// encoder: so it gets there once.
#pragma once

#include "record/cursor.h"

namespace laptime::record {

struct ThreadState : Cursor {
  std::atomic<Slot*> slot{nullptr};  // the same as `writing`, until somebody took it
  std::uint32_t track = 0;
  std::uint32_t epoch = 0;  // of the recording that `slot` and `track` belong to
  std::uint32_t name = 0;   // given by the program
  std::uint64_t os_thread =
      0;  // with `track` and `epoch` written under the registry's lock, so that others may look
  std::uint64_t step_start = 0;        // ticks
  ThreadState* next_thread = nullptr;  // registry
  ThreadState* previous_thread = nullptr;
};

}  // namespace laptime::record
