#include "collect/torch/op_recorder.h"

#include <pthread.h>

#include <memory>
#include <mutex>
#include <new>

#include "collect/torch/op_names.h"
#include "collect/torch/op_stack.h"
#include "record/collector.h"

namespace laptime::torch {

namespace {

// at::RecordScope, whose numbers torch keeps.
enum Scope : std::uint32_t { kFunction = 0, kBackward = 1, kStaticRuntimeOp = 8 };

const void* const kNoFloor = &kNoFloor;  // no frame has this address

struct OpThread {
  OpStack stack;
  std::uint32_t ops = 0;           // entries that contain ops
  const void* floor = kNoFloor;    // inside a backward node: the frame that called it, null where there was none
  std::uint64_t begun = 0;
  OpNames names;
  std::unique_ptr<InputTexts> inputs;
  void* place_memory = nullptr;
  OpThread *next = nullptr, *previous = nullptr;  // registry
};

__thread OpThread* this_thread __attribute__((tls_model("initial-exec"))) = nullptr;

struct Registry {
  std::mutex mutex;
  OpThread* threads = nullptr;
  std::uint64_t begun_by_ended = 0;
  pthread_key_t exit_key{};
};
// Never destroyed: threads end after everything else.
Registry& registry() {
  static auto* const made = new Registry;
  return *made;
}

PlaceSource places{[]() -> const void* { return nullptr; }, [](void*&, const void*) -> std::uint32_t { return 0; }, [](void*) {}};

void on_thread_exit(void* ended) {
  auto* const thread = static_cast<OpThread*>(ended);
  this_thread = nullptr;
  Registry& all = registry();
  {
    const std::lock_guard lock(all.mutex);
    all.begun_by_ended += thread->begun;
    if (thread->previous) thread->previous->next = thread->next;
    if (thread->next) thread->next->previous = thread->previous;
    if (all.threads == thread) all.threads = thread->next;
  }
  if (thread->place_memory) places.forget(thread->place_memory);
  delete thread;
}

__attribute__((cold, noinline)) OpThread* attach_this_thread() {
  Registry& all = registry();
  static const bool prepared = pthread_key_create(&all.exit_key, &on_thread_exit) == 0;
  auto* const thread = new (std::nothrow) OpThread;
  if (!thread || !prepared) return nullptr;
  pthread_setspecific(all.exit_key, thread);
  const std::lock_guard lock(all.mutex);
  thread->next = all.threads;
  if (all.threads) all.threads->previous = thread;
  all.threads = thread;
  return this_thread = thread;
}

std::uint32_t unmatched_loss() {
  static const std::uint32_t loss = record::loss_index(
      "op_end_without_begin", Severity::info, "regions that ended on another thread than they began on were left out of the ops");
  return loss;
}

__attribute__((noinline)) void enter_backward(OpThread& thread, OpEntry& entry) {
  entry.outer_floor = thread.floor;
  thread.floor = places.innermost_frame();
}

std::uint32_t place_inside(OpThread& thread) {
  if (thread.floor == kNoFloor) [[likely]] return places.place(thread.place_memory, nullptr);
  return places.innermost_frame() == thread.floor ? 0 : places.place(thread.place_memory, thread.floor);
}

void classify(OpEntry& entry, std::uint32_t scope, OpName::Role role) {
  if (scope == kFunction) [[likely]] {
    entry.kind = role == OpName::Role::evaluates_node ? SpanKind::backward : SpanKind::op;
    entry.containing = role == OpName::Role::op               ? Containing::ops
                       : role == OpName::Role::evaluates_node ? Containing::backward
                                                              : Containing::nothing;
  } else if (scope == kBackward) {
    entry.kind = SpanKind::backward;
    entry.containing = Containing::backward;
  } else {
    entry.kind = scope == kStaticRuntimeOp ? SpanKind::op : SpanKind::annotation;
    entry.containing = scope == kStaticRuntimeOp ? Containing::ops : Containing::nothing;
  }
}

// All but the start time; null when it cannot be recorded.
inline OpEntry* open(OpThread& thread, const void* function, const OpName& name, std::int64_t sequence, std::uint64_t torch_thread,
                     std::uint32_t scope) {
  OpEntry* const entry = thread.stack.push();
  if (!entry) [[unlikely]] return nullptr;
  ++thread.begun;
  entry->function = function;
  entry->name = name.id;
  entry->has_inputs = false;
  classify(*entry, scope, name.role);
  std::uint32_t place = 0;
  if (entry->containing == Containing::backward)
    enter_backward(thread, *entry);
  else if (thread.ops == 0)
    place = place_inside(thread);
  thread.ops += entry->containing == Containing::ops;
  entry->link = OpLink::pack(place, static_cast<std::uint8_t>(torch_thread), sequence);
  return entry;
}

void begin(const void* function, const char* text, std::int64_t sequence, std::uint64_t torch_thread, std::uint32_t scope) {
  OpThread* const thread = this_thread ? this_thread : attach_this_thread();
  if (!thread) [[unlikely]] return;
  if (OpEntry* const entry = open(*thread, function, *thread->names.find(text), sequence, torch_thread, scope)) [[likely]]
    entry->start = ticks();
}

void begin_with_inputs(const LaptimeOp* op, const std::int64_t* words, std::uint32_t count) {
  OpThread* const thread = this_thread ? this_thread : attach_this_thread();
  if (!thread) return;
  if (!thread->inputs) thread->inputs.reset(new (std::nothrow) InputTexts);
  const OpName& name = *thread->names.find(op->name);
  OpEntry* const entry = open(*thread, op->function, name, op->sequence, op->thread, op->scope);
  if (!entry) return;
  if (count > 0 && thread->inputs) {
    entry->has_inputs = true;
    entry->inputs = thread->inputs->find({words, count}, name.flops);
  }
  entry->start = ticks();
}

__attribute__((noinline)) void put_with_inputs(const record::Op& op, const InputFacts& inputs) {
  static const std::uint32_t shapes = record::intern("shapes"), types = record::intern("types"), flops = record::intern("flops");
  const record::Arg args[] = {
      {shapes, ArgType::string, inputs.shapes}, {types, ArgType::string, inputs.types}, {flops, ArgType::integer, inputs.flops}};
  record::put_op(op, args, inputs.flops != 0 ? 3 : 2);
}

void end(const void* function) {
  const std::uint64_t now = ticks();
  OpThread* const thread = this_thread;
  OpEntry* const found = thread ? thread->stack.find(function) : nullptr;
  if (!found) [[unlikely]] return record::lose(unmatched_loss());
  const OpEntry entry = thread->stack.take(found);
  thread->ops -= entry.containing == Containing::ops;
  if (entry.containing == Containing::backward) thread->floor = entry.outer_floor;
  const record::Op op{entry.start, now, entry.link, entry.name, entry.kind};
  if (entry.has_inputs) [[unlikely]]
    put_with_inputs(op, entry.inputs);
  else
    record::put_op(op);
}

}  // namespace

void set_place_source(PlaceSource source) { places = source; }

const LaptimeOpHost& op_host() {
  static constexpr LaptimeOpHost host{LAPTIME_SHIM_VERSION, &begin, &begin_with_inputs, &end};
  return host;
}

std::uint64_t op_count() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::uint64_t count = all.begun_by_ended;
  for (const OpThread* thread = all.threads; thread; thread = thread->next) count += __atomic_load_n(&thread->begun, __ATOMIC_RELAXED);
  return count;
}

}  // namespace laptime::torch
