#include "collect/python/thread_slot.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <new>

#include "base/clock.h"
#include "collect/python/interpreter/python_support.h"
#include "collect/python/interpreter/python_text.h"
#include "collect/python/notices.h"

namespace laptime::python {

namespace {

// Runs when a thread ends, without the GIL, so it only sets a mark.
struct EndMark {
  ThreadSlot* slot = nullptr;
  ~EndMark() {
    if (slot != nullptr) slot->ended.store(true, std::memory_order_release);
  }
};
thread_local EndMark end_mark;

}  // namespace

LineCounter* ThreadSlot::add_lines(const CodeRecord* record) {
  auto* lines = static_cast<LineCounter*>(std::calloc(record->slot_count, sizeof(LineCounter)));
  if (lines == nullptr) throw std::bad_alloc();
  line_tables.set(record->id, lines);
  apply_statements(record);
  return lines;
}

void ThreadSlot::apply_statements(const CodeRecord* record) {
  LineCounter* lines = line_tables.get(record->id);
  if (lines == nullptr) return;
  const auto& known = record->statements;
  for (std::uint32_t slot = 0; slot < record->slot_count; ++slot)
    lines[slot].statement = known.empty() ? slot : known[slot];
}

FunctionCounter* ThreadSlot::add_function(const Callable* callable) {
  auto* counter = new FunctionCounter{};
  counter->callable = callable;
  functions.set(callable->id, counter);
  return counter;
}

ThreadSlots& ThreadSlots::instance() {
  static auto* slots = new ThreadSlots;
  return *slots;
}

ThreadSlot* ThreadSlots::find(unsigned long ident) const {
  for (const auto& slot : slots_) {
    if (slot->ident == ident && !slot->ended.load(std::memory_order_acquire)) return slot.get();
  }
  return nullptr;
}

ThreadSlot* ThreadSlots::of_thread(unsigned long ident) {
  if (ThreadSlot* known = find(ident)) return known;
  ThreadSlot* slot = free_slot();
  slot->ident = ident;
  return slot;
}

ThreadSlot* ThreadSlots::free_slot() {
  if (slots_.size() >= kThreadsApart) {
    for (const auto& slot : slots_) {
      if (!slot->ended.load(std::memory_order_acquire)) continue;
      slot->ended.store(false, std::memory_order_relaxed);
      slot->line_epoch = 0;
      add_notice("threads_merged",
                 "more threads have ended than have their own rows: later threads are counted "
                 "with earlier ones");
      return slot.get();
    }
  }
  slots_.push_back(std::make_unique<ThreadSlot>());
  return slots_.back().get();
}

ThreadSlot* ThreadSlots::bind() {
  const unsigned long ident = PyThread_get_thread_ident();
  ThreadSlot* slot = find(ident);
  if (slot == nullptr) slot = free_slot();
  slot->ident = ident;
  slot->os_thread = static_cast<std::uint64_t>(::syscall(SYS_gettid));
  current_ = slot;
  end_mark.slot = slot;
  return slot;
}

void ThreadSlots::after_fork() {
  ThreadSlot* survivor = current_if_any();
  const std::uint64_t now = ticks();
  for (const auto& slot : slots_) {
    if (slot.get() == survivor) continue;
    slot->ended.store(true, std::memory_order_relaxed);
    slot->lines.pop_all(now);
    slot->calls.leave_all(now);
  }
  if (survivor != nullptr) survivor->os_thread = static_cast<std::uint64_t>(::syscall(SYS_gettid));
}

void ThreadSlots::name(ThreadSlot* slot) {
  const ErrorGuard guard;
  PyObject* threading = PyDict_GetItemString(PyImport_GetModuleDict(), "threading");
  OwnedRef active(threading != nullptr ? PyObject_GetAttrString(threading, "_active") : nullptr);
  OwnedRef key(PyLong_FromUnsignedLong(slot->ident));
  PyObject* thread = active && key && PyDict_Check(active.get())
                         ? PyDict_GetItem(active.get(), key.get())
                         : nullptr;
  OwnedRef name(thread != nullptr ? PyObject_GetAttrString(thread, "_name") : nullptr);
  if (name) slot->name = bytes_of(name.get());
  OwnedRef native(thread != nullptr ? PyObject_GetAttrString(thread, "_native_id") : nullptr);
  if (slot->os_thread == 0 && native && PyLong_Check(native.get()))
    slot->os_thread = PyLong_AsUnsignedLong(native.get());
  PyErr_Clear();
}

}  // namespace laptime::python
