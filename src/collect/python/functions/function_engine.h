// Times functions as cProfile does, in every thread. The backend reports entries and exits of all
// Python code and, if requested, of C functions. Frames that were running at the start are not
// counted.
#pragma once

#include <Python.h>

#include <cstdint>
#include <vector>

#include "collect/python/budget.h"
#include "collect/python/code/code_registry.h"
#include "collect/python/functions/c_functions.h"
#include "collect/python/thread_slot.h"

namespace laptime::python {

struct FunctionOptions {
  bool builtins = true;
  double budget = -1;  // share of wall time, negative: none
};

class FunctionEngine {
 public:
  static FunctionEngine& instance();

  // False, with a Python error set, if the backend cannot attach.
  bool start(const FunctionOptions& options);
  void stop();
  bool running() const { return running_; }
  bool limited() const { return budget_.limited(); }
  const Budget& budget() const { return budget_; }
  std::uint32_t epoch() const { return epoch_; }

  // False if the code is no longer followed: the caller may disable its events.
  bool enter(PyObject* code) {
    ThreadSlot* slot = ThreadSlots::current();
    CodeRecord* record = CodeRegistry::find(code);
    if (record == nullptr || record->shared_library_mark) [[unlikely]]
      record = CodeRegistry::instance().find_or_add(code);
    if (record->function_level == Level::off) [[unlikely]]
      return false;
    if (slot->call_meter.due()) [[unlikely]]
      pay(slot, record);
    slot->calls.enter(code, slot->function_of(record));
    return true;
  }
  // False, too, if the code is no longer followed.
  bool leave(PyObject* code, std::uint64_t now) {
    CallStack& calls = ThreadSlots::current()->calls;
    if (!calls.on_top(code) && is_off(code)) [[unlikely]]
      return false;
    calls.leave(code, now);
    return true;
  }

  // Returns the record if the callable is a C function that is counted, else null.
  CFunctionRecord* enter_c(PyObject* callable, PyObject* self) {
    const PyMethodDef* definition = c_definition(callable, self);
    if (definition == nullptr) return nullptr;
    ThreadSlot* slot = ThreadSlots::current();
    CFunctionRecord* record = c_functions_->find(definition, callable, self);
    --slot->call_meter.left;
    slot->calls.enter(definition, slot->function_of(record));
    return record;
  }
  // Ignores an exit without its entry: the call may have been made where calls are no longer
  // followed.
  void leave_c(PyObject* callable, PyObject* self, std::uint64_t now) {
    CallStack& calls = ThreadSlots::current()->calls;
    const PyMethodDef* definition = c_definition(callable, self);
    if (definition != nullptr && calls.on_top(definition)) calls.leave(definition, now);
  }
  // Whether calls made by `code` are no longer recorded, as far as is known without checking the
  // budget.
  static bool is_off(PyObject* code) {
    const CodeRecord* record = CodeRegistry::find(code);
    return record != nullptr && record->function_level == Level::off;
  }
  // Whether C calls made by `code` are still followed. Code that makes too many is not. Only with a
  // budget.
  bool follows_calls_of(PyObject* code) {
    if (!budget_.limited()) [[likely]]
      return true;
    ThreadSlot* slot = ThreadSlots::current();
    if (slot->call_meter.left <= 0) [[unlikely]]
      pay(slot, CodeRegistry::instance().find_or_add(code));
    return !is_off(code);
  }

  void settle_all(std::uint64_t now);
  // Between these two calls, start and stop leave no trace in the counters: the calibration
  // measures the engine with itself.
  void begin_probe();
  void end_probe();
  void clear();
  std::uint32_t clears() const { return clears_; }  // how often counters were reset

  void set_event_cost(double call_ticks) { call_ticks_ = call_ticks; }
  std::uint64_t events() const;
  std::uint64_t slips() const;

 private:
  struct SavedCounters {
    std::vector<CallCounter> functions, edges;  // by index in the thread's tables
    EventMeter meter;
  };
  void pay(ThreadSlot* slot, CodeRecord* record);

  bool running_ = false;
  std::uint32_t epoch_ = 0, clears_ = 0;
  double call_ticks_ = 120;
  std::vector<SavedCounters> saved_;  // by thread slot, during a probe
  CFunctions* c_functions_ = &CFunctions::instance();
  Budget budget_;
};

// ---- What a backend provides (monitoring_functions.cpp for 3.12 and later, frame_hook.cpp below).
// ----
bool attach_functions(bool builtins);  // false with a Python error set
void detach_functions();

// Sets the result of sys.getprofile() on this thread from now on. Null: None. No effect if the
// thread has another profiler, and none from CPython 3.12 on, where sys.getprofile() does not
// report cProfile either.
void show_profiler(PyObject* profiler);

}  // namespace laptime::python
