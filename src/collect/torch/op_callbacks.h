// The hot path: runs at the begin and end of each op, inlined into the callbacks of the shims.
//
// Assumption: ops and backward nodes nest. Regions that a program opens and closes by hand need not
// nest, and may end on another thread. Consequence: an end whose begin is not on top goes to the
// module, which searches for the begin.
#pragma once

#include "collect/torch/shim_abi.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace laptime::torch {

// The numbers of at::RecordScope, which torch keeps stable.
enum Scope : std::uint32_t { kScopeFunction = 0, kScopeBackward = 1, kScopeStaticRuntimeOp = 8 };

struct SeenOp {
  const void* function;
  const void* schema;  // torch's object of the operator; null: none, or it cannot be read
  std::int64_t sequence;
  std::uint64_t thread;  // torch's number of the thread that ran forward
  std::uint32_t scope;
};

inline std::uint64_t op_ticks(const OpHost& host) {
#if defined(__x86_64__)
  if (host.by_tsc) [[likely]]
    return __rdtsc();
#endif
  return host.now();
}

// The name classifies an op of scope FUNCTION. The scope classifies all others.
inline void classify_by_scope(std::uint32_t scope, std::uint64_t& tail, std::uint32_t& traits) {
  const bool backward = scope == kScopeBackward, op = scope == kScopeStaticRuntimeOp;
  OpTail changed = OpTail::of(tail);
  changed.kind = backward ? SpanKind::backward : op ? SpanKind::op : SpanKind::annotation;
  tail = changed.word();
  traits = OpTraits::pack(backward ? OpTraits::kBackward
                          : op     ? OpTraits::kContainsOps
                                   : 0,
                          OpTraits::flops(traits));
}

inline std::uint32_t call_site_of(const OpHost& host, OpThread& thread, OpEntry& entry) {
  if ((entry.traits & OpTraits::kBackward) != 0) [[unlikely]] {
    host.enter_backward(thread, entry);
    return 0;
  }
  if (thread.ops != 0) return 0;
  if (thread.floor != OpThread::no_floor()) [[unlikely]]
    return thread.op_call_site = host.call_site_in_backward(thread);
  const std::uint32_t guarded = thread.guards.call_site();
  return thread.op_call_site = guarded != 0 ? guarded : host.find_call_site(thread);
}

// Whether the values of integers and bools among the inputs are recorded, because FLOPs depend on
// them.
inline bool has_numbers(const OpEntry& entry) {
  return OpTraits::flops(entry.traits) != FlopRule::none;
}

// aten::conv2d and similar ops call aten::convolution. If both had FLOPs, they would count twice.
// `entry`: the innermost.
inline void leave_flops_to_outer(const OpThread& thread, OpEntry& entry) {
  if (OpTraits::flops(entry.traits) != FlopRule::any_convolution || &entry == thread.first)
      [[likely]]
    return;
  const FlopRule outer = OpTraits::flops((&entry)[-1].traits);
  if (outer == FlopRule::convolution || outer == FlopRule::transposed_convolution)
    entry.traits = OpTraits::without_flops(entry.traits);
}

// False: the thread does not know these inputs.
inline bool add_known_inputs(OpThread& thread, OpEntry& entry, std::uint64_t hash) {
  const std::uint16_t* const known = thread.inputs.find(hash);
  if (known != nullptr) entry.tail = OpTail::with_inputs(entry.tail, *known);
  return known != nullptr;
}

struct NoInputs {
  void operator()(OpThread&, OpEntry&) const {}
};

template <typename Name>
[[gnu::noinline]] OpFacts facts_by_text(const OpHost& host, OpThread& thread, const void* schema,
                                        const Name& name) {
  const std::string_view text = name();
  const std::uint64_t hash = hash_of(text);
  const OpFacts* const met = thread.names.find(hash);
  const OpFacts facts =
      met != nullptr ? *met : host.find_name(thread, hash, text.data(), text.size());
  if (schema != nullptr && is_of_aten(text)) [[unlikely]]
    thread.schema_slot(schema).keep(schema, facts);
  return facts;
}

// The facts in the op's name. The text of a known operator is not read, because it is in memory
// that nothing else uses (a cache miss).
template <typename Name>
[[gnu::always_inline]] inline OpFacts facts_of(const OpHost& host, OpThread& thread,
                                               const void* schema, const Name& name) {
  if (const OpFacts* const known = thread.schema_slot(schema).find(schema)) [[likely]]
    return *known;
  return facts_by_text(host, thread, schema, name);
}

// `thread_slot`: the caller's thread-local pointer. `name()`: the op's name, valid only during the
// call. `describe` adds the inputs to an entry whose name is known.
template <typename Name, typename Describe = NoInputs>
[[gnu::always_inline]] inline void begin_op(const OpHost& host, OpThread*& thread_slot,
                                            const SeenOp& op, const Name& name,
                                            const Describe& describe = {}) {
  OpThread* thread = thread_slot;
  if (thread == nullptr) [[unlikely]] {
    thread = host.attach(&thread_slot);
    if (thread == nullptr) return;
  }
  if (thread->next == thread->end && !host.grow(*thread)) [[unlikely]]
    return;
  auto [tail, traits] = facts_of(host, *thread, op.schema, name);
  if (op.scope != kScopeFunction) [[unlikely]]
    classify_by_scope(op.scope, tail, traits);
  OpEntry& entry = *thread->next;
  entry.function = op.function;
  entry.tail = tail;
  entry.traits = traits;
  const std::uint32_t call_site = call_site_of(host, *thread, entry);
  thread->ops += traits & OpTraits::kContainsOps;
  entry.link = OpLink::pack(call_site, static_cast<std::uint8_t>(op.thread), op.sequence);
  describe(*thread, entry);
  ++thread->begun;
  ++thread->next;
  entry.start = op_ticks(host);
}

inline void store_word(RawRecord* record, std::size_t number, std::uint64_t word) {
  std::memcpy(reinterpret_cast<char*>(record) + number * sizeof word, &word, sizeof word);
}

[[gnu::always_inline]] inline void end_op(const OpHost& host, OpThread* thread,
                                          const void* function) {
  const std::uint64_t now = op_ticks(host);
  if (thread == nullptr || thread->next == thread->first) [[unlikely]]
    return host.end(thread, function, now);
  OpEntry& entry = thread->next[-1];
  RawRecord* const record = record::reserve(*thread->cursor, 1);
  const std::uint32_t traits = entry.traits;
  if (entry.function != function || record == nullptr) [[unlikely]]
    return host.end(thread, function, now);
  thread->next = &entry;
  thread->ops -= traits & OpTraits::kContainsOps;
  if ((traits & OpTraits::kBackward) != 0) [[unlikely]]
    thread->floor = entry.outer_floor;
  store_word(record, 0, entry.start);
  store_word(record, 1, now);
  store_word(record, 2, entry.link);
  store_word(record, 3, entry.tail);
  record::publish(*thread->cursor, record + 1);
}

}  // namespace laptime::torch
