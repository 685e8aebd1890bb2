// What laptime's module and the small library that is compiled against the installed torch (the
// shim) say to each other.
//
// Assumption: both sides come from the same laptime: the shim is built from sources that lie in the
// package, and its file name holds their hash. Consequence: no field is ever optional. `version`
// still guards against a stray file. This header, and those it includes, stand alone: they are also
// installed beside the shim's sources.
#pragma once

#include <cstdint>

#include "collect/torch/op_thread.h"

namespace laptime::torch {

inline constexpr std::uint32_t kShimVersion = 5;

// What the module does for the shim's hot path (op_callbacks.h).
struct OpHost {
  std::uint32_t version;
  bool by_tsc;             // the clock is the processor's counter
  std::uint64_t (*now)();  // else
  // The calling thread's state, made now; `here`, where the shim keeps it, is set, and to null when
  // the thread ends.
  OpThread* (*attach)(OpThread** here);
  bool (*grow)(OpThread& thread);
  // What a name says that the thread has not met.
  OpFacts (*find_name)(OpThread& thread, std::uint64_t hash, const char* text, std::size_t length);
  // The call site of the thread's innermost line of the user's, where the guards do not tell it.
  std::uint32_t (*find_call_site)(OpThread& thread);
  std::uint32_t (*call_site_in_backward)(OpThread& thread);
  void (*enter_backward)(OpThread& thread, OpEntry& entry);
  // Of inputs whose hash the thread has not met. `words`: see InputKind; integers' numbers only
  // where has_numbers.
  void (*describe_inputs)(OpThread& thread, OpEntry& entry, std::uint64_t hash,
                          const std::int64_t* words, std::uint32_t count);
  // The end of an op that is not on top, or finds no room.
  void (*end)(OpThread* thread, const void* function, std::uint64_t now);
};

struct OpShim {
  std::uint32_t version;
  // The callback that is not running costs nothing; switching takes microseconds. 0, or -1 when
  // torch threw.
  int (*on)(int with_inputs);
  int (*off)();
  // What torch says on the calling thread now.
  std::int64_t (*peek_sequence)();
  std::uint64_t (*thread_number)();
  // Instead of recording, tells each begin and end of an op; null: records.
  void (*tell)(const OpProbe* probe);
};

// What a shim exports under the name "laptime_torch_ops".
using OpenOps = const OpShim* (*)(const OpHost* host);

}  // namespace laptime::torch
