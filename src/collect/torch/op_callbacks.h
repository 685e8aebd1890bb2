// The hot path: what runs at the begin and the end of each op, inlined into the callbacks of whoever sees torch's objects.
//
// Assumption: ops and backward nodes nest; regions that a program opens and closes by hand need not, and may even end on
// another thread. Consequence: an end whose begin is not on top is left to the module, which looks for it.
#pragma once

#include "collect/torch/shim_abi.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace laptime::torch {

// at::RecordScope, whose numbers torch keeps.
enum Scope : std::uint32_t { kScopeFunction = 0, kScopeBackward = 1, kScopeStaticRuntimeOp = 8 };

struct SeenOp {
  const void* function;
  const char* name;      // valid during the call only
  std::int64_t sequence;
  std::uint64_t thread;  // torch's number of the thread that ran forward
  std::uint32_t scope;
};

inline std::uint64_t op_ticks(const OpHost& host) {
#if defined(__x86_64__)
  if (host.by_tsc) [[likely]] return __rdtsc();
#endif
  return host.now();
}

inline void classify_op(OpEntry& entry, std::uint32_t scope, OpRole role) {
  if (scope == kScopeFunction) [[likely]] {
    entry.kind = role == OpRole::evaluates_node ? SpanKind::backward : SpanKind::op;
    entry.containing = role == OpRole::op               ? Containing::ops
                       : role == OpRole::evaluates_node ? Containing::backward
                                                        : Containing::nothing;
  } else if (scope == kScopeBackward) {
    entry.kind = SpanKind::backward;
    entry.containing = Containing::backward;
  } else {
    entry.kind = scope == kScopeStaticRuntimeOp ? SpanKind::op : SpanKind::annotation;
    entry.containing = scope == kScopeStaticRuntimeOp ? Containing::ops : Containing::nothing;
  }
}

inline std::uint32_t place_of(const OpHost& host, OpThread& thread, OpEntry& entry) {
  if (entry.containing == Containing::backward) {
    host.enter_backward(thread, entry);
    return 0;
  }
  if (thread.ops != 0) return 0;
  return thread.floor == OpThread::no_floor() ? host.place(thread.place_memory, nullptr) : host.place_in_backward(thread);
}

// `thread_slot`: the caller's thread-local pointer. `words`, `count`: the inputs, none without.
inline void begin_op(const OpHost& host, OpThread*& thread_slot, const SeenOp& op, const std::int64_t* words = nullptr,
                     std::uint32_t count = 0) {
  OpThread* thread = thread_slot;
  if (thread == nullptr) [[unlikely]] {
    thread = host.attach(&thread_slot);
    if (thread == nullptr) return;
  }
  if (thread->next == thread->end && !host.grow(*thread)) [[unlikely]] return;
  const OpName* name = &thread->name_slot(op.name);
  if (!name->is(op.name)) [[unlikely]] name = host.find_name(*thread, op.name);
  OpEntry& entry = *thread->next;
  entry.function = op.function;
  entry.name = name->id;
  entry.has_inputs = false;
  classify_op(entry, op.scope, name->role);
  const std::uint32_t place = place_of(host, *thread, entry);
  thread->ops += entry.containing == Containing::ops;
  entry.link = OpLink::pack(place, static_cast<std::uint8_t>(op.thread), op.sequence);
  if (count != 0) {
    entry.flops = name->flops;
    host.describe_inputs(*thread, entry, words, count);
  }
  ++thread->begun;
  ++thread->next;
  __builtin_prefetch(thread->lane->next + 1, 1);  // while the op runs, the room for its record comes near
  entry.start = op_ticks(host);
}

inline void end_op(const OpHost& host, OpThread* thread, const void* function) {
  const std::uint64_t now = op_ticks(host);
  if (thread == nullptr || thread->next == thread->first) [[unlikely]] return host.end(thread, function, now);
  OpEntry& entry = thread->next[-1];
  RawUnit* const unit = record::reserve(*thread->lane, 1);
  if (entry.function != function || entry.has_inputs || unit == nullptr) [[unlikely]] return host.end(thread, function, now);
  --thread->next;
  thread->ops -= entry.containing == Containing::ops;
  if (entry.containing == Containing::backward) thread->floor = entry.outer_floor;
  *unit = {entry.start, now, entry.link, entry.name, 0, static_cast<std::uint8_t>(entry.kind), UnitType::op};
  record::publish(*thread->lane, unit + 1);
}

}  // namespace laptime::torch
