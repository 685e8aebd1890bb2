// Work that the hot path (op_callbacks.h) leaves to the module: new and ended threads, new names,
// inputs, ends out of order. Depends on neither torch nor Python: call sites come from functions
// that the caller passes.
//
// Assumption: ops and backward nodes nest. Regions that a program opens and closes by hand need not
// nest, and may end on another thread. Consequence: an end searches for its begin from the top, and
// may remove it from the middle. An end without a begin is counted. Ops under way when the source
// is switched off still end.
#pragma once

#include <cstdint>
#include <vector>

#include "collect/torch/shim_abi.h"

namespace laptime::torch {

// The position of Python on the calling thread. Queried at the begin of annotations and of ops that
// no other op contains.
struct CallSiteSource {
  // The innermost frame, an identity for comparison only. Null: no Python.
  const void* (*innermost_frame)();
  // The call site of the innermost user's line on the thread. `floor` and all frames outside of it
  // are ignored. `memory` belongs to the source: one per thread, null at first, freed by `forget`
  // when the thread ends. If `guards` is not null, the conditions of the call site may be recorded
  // there.
  std::uint32_t (*call_site)(void*& memory, const void* floor, CallSiteGuards* guards);
  void (*forget)(void* memory);
};

// Contract: called before a shim is opened.
void set_call_site_source(CallSiteSource source);

OpHost op_host();

// The call site of the recorded op that the calling thread is inside of. kInBackward if an autograd
// node runs around it. kInNoOp if there is no such op.
inline constexpr std::int64_t kInNoOp = -1, kInBackward = std::int64_t{1} << 32;
std::int64_t op_call_site_here();

// Ops that have begun on the calling thread and not ended, the outermost first. `name` is
// record::intern's.
struct BegunOp {
  std::uint64_t start;  // ticks
  std::uint32_t name;
  SpanKind kind;
};
std::vector<BegunOp> begun_ops();

// Begins of ops on all threads since the process started.
std::uint64_t op_count();

}  // namespace laptime::torch
