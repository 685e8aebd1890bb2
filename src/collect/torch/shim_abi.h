// The interface between laptime's module and the small library that is compiled against the
// installed torch (the shim).
//
// Assumption: both sides come from the same laptime. The shim is built from sources in the package,
// and its file name contains their hash. Consequence: no field is ever optional. `version` still
// guards against a stray file. This header, and those it includes, use nothing else of laptime:
// they are also installed beside the shim's sources.
#pragma once

#include <cstdint>

#include "collect/torch/op_thread.h"

namespace laptime::torch {

inline constexpr std::uint32_t kShimVersion = 5;

// What the module does for the shim's hot path (op_callbacks.h).
struct OpHost {
  std::uint32_t version;
  bool by_tsc;             // the clock is the processor's counter
  std::uint64_t (*now)();  // otherwise
  // Makes the calling thread's state. `here`, where the shim keeps it, is set now, and set to null
  // when the thread ends.
  OpThread* (*attach)(OpThread** here);
  bool (*grow)(OpThread& thread);
  // What an unknown name says about its op.
  OpFacts (*find_name)(OpThread& thread, std::uint64_t hash, const char* text, std::size_t length);
  // The call site of the thread's innermost user's line, if the guards do not have it.
  std::uint32_t (*find_call_site)(OpThread& thread);
  std::uint32_t (*call_site_in_backward)(OpThread& thread);
  void (*enter_backward)(OpThread& thread, OpEntry& entry);
  // Describes inputs whose hash the thread does not know. `words`: see InputKind; values of
  // integers only if has_numbers.
  void (*describe_inputs)(OpThread& thread, OpEntry& entry, std::uint64_t hash,
                          const std::int64_t* words, std::uint32_t count);
  // The end of an op that is not on top, or found no room.
  void (*end)(OpThread* thread, const void* function, std::uint64_t now);
};

struct OpShim {
  std::uint32_t version;
  // A callback that is off costs nothing. A switch takes microseconds. Returns 0, or -1 if torch
  // threw.
  int (*on)(int with_inputs);
  int (*off)();
  // Torch's sequence number on the calling thread now.
  std::int64_t (*peek_sequence)();
  std::uint64_t (*thread_number)();
  // Reports each begin and end of an op instead of recording it. Null: records.
  void (*report)(const OpProbe* probe);
};

// What a shim exports under the name "laptime_torch_ops".
using OpenOps = const OpShim* (*)(const OpHost* host);

}  // namespace laptime::torch
