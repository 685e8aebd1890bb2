// Times functions as cProfile does, in every thread. The backend reports entries and exits of all Python code and, where
// asked, of C functions; frames that were running at the start are not counted.
#pragma once

#include <Python.h>

#include <cstdint>

#include "collect/python/budget.h"
#include "collect/python/c_functions.h"
#include "collect/python/code_registry.h"
#include "collect/python/thread_slot.h"

namespace laptime::python {

struct FunctionOptions {
  bool builtins = true;
  double budget = -1;  // share of wall time, negative: none
};

class FunctionEngine {
 public:
  static FunctionEngine& instance();

  // False with a Python error set when the backend cannot attach.
  bool start(const FunctionOptions& options);
  void stop();
  bool running() const { return running_; }
  std::uint32_t epoch() const { return epoch_; }

  // False when the code is no longer followed: the caller may silence its events.
  bool enter(PyObject* code) {
    ThreadSlot* slot = slot_for_event();
    CodeRecord* record = CodeRegistry::instance().find_or_add(code);
    if (record->function_level == Level::off) [[unlikely]] return false;
    if (slot->call_meter.due()) [[unlikely]] pay(slot, record);
    slot->calls.enter(code, slot->function_of(record));
    return true;
  }
  void leave(PyObject* code, std::uint64_t now) { slot_for_event()->calls.leave(code, now); }

  // Returns the record when the callable is a C function that counts, else null.
  CFunctionRecord* enter_c(PyObject* callable, PyObject* self) {
    const PyMethodDef* definition = c_definition(callable, self);
    if (definition == nullptr) return nullptr;
    ThreadSlot* slot = slot_for_event();
    CFunctionRecord* record = CFunctions::instance().find(definition, callable, self);
    --slot->call_meter.left;  // counted; the Python function around it pays
    slot->calls.enter(definition, slot->function_of(record));
    return record;
  }
  void leave_c(PyObject* callable, PyObject* self, std::uint64_t now) {
    if (const PyMethodDef* definition = c_definition(callable, self)) slot_for_event()->calls.leave(definition, now);
  }

  void settle_all(std::uint64_t now);
  void clear();

  void set_event_cost(double call_ticks) { call_ticks_ = call_ticks; }
  std::uint64_t events() const;

 private:
  ThreadSlot* slot_for_event() {
    ThreadSlot* slot = ThreadSlots::current();
    if (slot->call_epoch != epoch_) [[unlikely]] begin(slot);
    return slot;
  }
  void begin(ThreadSlot* slot);
  void pay(ThreadSlot* slot, CodeRecord* record);

  bool running_ = false;
  std::uint32_t epoch_ = 0;
  double call_ticks_ = 120;
  Budget budget_;
};

// ---- What a backend provides (monitoring_functions.cpp for 3.12 and later, frame_hook.cpp below). ----
bool attach_functions(bool builtins);  // false with a Python error set
void detach_functions();

}  // namespace laptime::python
