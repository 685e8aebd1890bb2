#include "collect/torch/op_recorder.h"

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>

#include "collect/torch/input_texts.h"
#include "collect/torch/op_names.h"
#include "record/collector.h"

namespace laptime::torch {

namespace {

struct OwnedThread : OpThread {
  ~OwnedThread() { std::free(first); }

  OpThread** here = nullptr;                              // where the shim keeps it
  OwnedThread *following = nullptr, *previous = nullptr;  // registry
};

struct Registry {
  // If the process forks while another thread starts or ends, the child must find the lock free.
  Registry();

  std::mutex mutex;
  OwnedThread* threads = nullptr;
  std::uint64_t begun_by_ended = 0;
};
// Never destroyed: threads may end after everything else.
Registry& registry() {
  static auto* const made = new Registry;
  return *made;
}
Registry::Registry() {
  ::pthread_atfork([] { registry().mutex.lock(); }, [] { registry().mutex.unlock(); },
                   [] { registry().mutex.unlock(); });
}

CallSiteSource call_sites{[]() -> const void* { return nullptr; },
                          [](void*&, const void*, CallSiteGuards*) -> std::uint32_t { return 0; },
                          [](void*) {}};

// The calling thread's state, for all readers. Stays readable after the thread's own objects are
// destroyed.
__attribute__((tls_model("initial-exec"))) thread_local constinit const OpThread* op_thread_here =
    nullptr;

void detach(OwnedThread* thread) {
  *thread->here = nullptr;
  op_thread_here = nullptr;
  Registry& all = registry();
  {
    const std::lock_guard lock(all.mutex);
    all.begun_by_ended += thread->begun;
    if (thread->previous) thread->previous->following = thread->following;
    if (thread->following) thread->following->previous = thread->previous;
    if (all.threads == thread) all.threads = thread->following;
  }
  if (thread->call_site_memory) call_sites.forget(thread->call_site_memory);
  delete thread;
}

// A C++ thread-local, so it is destroyed before the recorder's own state of the thread, which
// contains the cursor.
struct AtThreadEnd {
  OwnedThread* thread = nullptr;
  ~AtThreadEnd() {
    if (thread) detach(thread);
  }
};
thread_local AtThreadEnd at_thread_end;

OpThread* attach(OpThread** here) {
  record::Cursor* const cursor = record::cursor();
  auto* const thread = cursor && !at_thread_end.thread ? new (std::nothrow) OwnedThread : nullptr;
  if (!thread) return nullptr;
  thread->cursor = cursor;
  thread->here = here;
  at_thread_end.thread = thread;
  op_thread_here = thread;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  thread->following = all.threads;
  if (all.threads) all.threads->previous = thread;
  all.threads = thread;
  return *here = thread;
}

bool grow(OpThread& thread) {
  const auto depth = static_cast<std::size_t>(thread.next - thread.first),
             room = depth == 0 ? std::size_t{64} : 2 * depth;
  auto* const grown =
      static_cast<OpEntry*>(std::aligned_alloc(alignof(OpEntry), room * sizeof(OpEntry)));
  if (!grown) return false;
  std::copy(thread.first, thread.next, grown);
  std::free(thread.first);
  thread.first = grown;
  thread.next = grown + depth;
  thread.end = grown + room;
  return true;
}

OpFacts find_name(OpThread& thread, std::uint64_t hash, const char* text, std::size_t length) {
  const OpFacts facts = describe_name({text, length}, record::intern({text, length}));
  if (!thread.names.is_full()) thread.names.add(hash, facts);
  return facts;
}

void enter_backward(OpThread& thread, OpEntry& entry) {
  entry.outer_floor = thread.floor;
  thread.floor = call_sites.innermost_frame();
}

std::uint32_t find_call_site(OpThread& thread) {
  return call_sites.call_site(thread.call_site_memory, nullptr, &thread.guards);
}

// A backward node may run Python code: a checkpoint's second forward pass, a hook, a Function's
// backward. Its ops have that code's lines. The line that called backward() says nothing about
// them.
std::uint32_t call_site_in_backward(OpThread& thread) {
  return call_sites.innermost_frame() == thread.floor
             ? 0
             : call_sites.call_site(thread.call_site_memory, thread.floor, nullptr);
}

void describe_inputs(OpThread& thread, OpEntry& entry, std::uint64_t hash,
                     const std::int64_t* words, std::uint32_t count) {
  if (thread.inputs.is_full()) return warn_too_many_inputs();
  const std::uint16_t args =
      count == 0 ? 0 : add_inputs(OpInputs({words, count}), OpTraits::flops(entry.traits));
  entry.tail = OpTail::with_inputs(entry.tail, args);
  thread.inputs.add(hash, args);
}

OpEntry* find_entry(const OpThread* thread, const void* function) {
  if (!thread) return nullptr;
  for (OpEntry* entry = thread->next; entry != thread->first;)
    if ((--entry)->function == function) return entry;
  return nullptr;
}

OpEntry take(OpThread& thread, OpEntry* entry) {
  const OpEntry taken = *entry;
  for (OpEntry* next = entry + 1; next != thread.next; ++next) next[-1] = *next;
  --thread.next;
  thread.ops -= taken.traits & OpTraits::kContainsOps;
  if ((taken.traits & OpTraits::kBackward) != 0) thread.floor = taken.outer_floor;
  return taken;
}

void put(const OpEntry& entry, std::uint64_t now) {
  const OpTail tail = OpTail::of(entry.tail);
  record::put_op({entry.start, now, entry.link, tail.name, tail.kind, tail.inputs});
}

void end(OpThread* thread, const void* function, std::uint64_t now) {
  static const std::uint32_t unmatched = record::warning_index(
      "op_end_without_begin", Severity::info,
      "regions that ended on another thread than they began on were left out of the ops");
  if (OpEntry* const entry = find_entry(thread, function))
    put(take(*thread, entry), now);
  else
    record::warn(unmatched);
}

}  // namespace

void set_call_site_source(CallSiteSource source) { call_sites = source; }

OpHost op_host() {
  return {kShimVersion, kTscChoice.use,  &monotonic_ns,          &attach,         &grow,
          &find_name,   &find_call_site, &call_site_in_backward, &enter_backward, &describe_inputs,
          &end};
}

std::int64_t op_call_site_here() {
  const OpThread* const thread = op_thread_here;
  if (thread == nullptr || thread->ops == 0) return kInNoOp;
  return thread->op_call_site | (thread->floor != OpThread::no_floor() ? kInBackward : 0);
}

std::vector<BegunOp> begun_ops() {
  std::vector<BegunOp> begun;
  const OpThread* const thread = op_thread_here;
  if (thread == nullptr) return begun;
  for (const OpEntry* entry = thread->first; entry != thread->next; ++entry) {
    const OpTail tail = OpTail::of(entry->tail);
    begun.push_back({entry->start, tail.name, tail.kind});
  }
  return begun;
}

std::uint64_t op_count() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::uint64_t count = all.begun_by_ended;
  for (const OwnedThread* thread = all.threads; thread; thread = thread->following)
    count += __atomic_load_n(&thread->begun, __ATOMIC_RELAXED);
  return count;
}

}  // namespace laptime::torch
