// What the hot path (op_callbacks.h) leaves to the module: threads that come and go, new names,
// inputs, ends out of order. Knows nothing of torch or Python: call sites come from functions that
// are handed in.
//
// Assumption: ops and backward nodes nest; regions that a program opens and closes by hand need
// not, and may even end on another thread. Consequence: an end looks for its begin from the top and
// takes it out of the middle if need be; one that finds none is counted. What is under way when the
// source is switched off still ends.
#pragma once

#include <cstdint>
#include <vector>

#include "collect/torch/shim_abi.h"

namespace laptime::torch {

// Where Python stands on the calling thread: asked at the begin of ops that no other op contains
// and of annotations.
struct CallSiteSource {
  // The innermost frame, an identity to be compared; null: no Python.
  const void* (*innermost_frame)();
  // The call site of the thread's innermost line of the user's, not looking at `floor` and the
  // frames outside of it. `memory` is the source's own, one a thread, null at first; `forget` gives
  // it back when the thread ends. What the call site rested on may be written down in `guards`, if
  // there are any.
  std::uint32_t (*call_site)(void*& memory, const void* floor, CallSiteGuards* guards);
  void (*forget)(void* memory);
};

// Before a shim is opened.
void set_call_site_source(CallSiteSource source);

OpHost op_host();

// Where the calling thread stands if it is inside of an op that is being recorded: the op's call
// site, and kInBackward where an autograd node runs around it; kInNoOp else.
inline constexpr std::int64_t kInNoOp = -1, kInBackward = std::int64_t{1} << 32;
std::int64_t op_call_site_here();

// What has begun on the calling thread and not ended, the outermost first; its name is
// record::intern's.
struct BegunOp {
  std::uint64_t start;  // ticks
  std::uint32_t name;
  SpanKind kind;
};
std::vector<BegunOp> begun_ops();

// Begins since the process started, all threads.
std::uint64_t op_count();

}  // namespace laptime::torch
