// Times lines of the user's code. The backend (sys.monitoring or the frame hook) reports entries,
// lines and exits. The engine decides which code is traced, and keeps every thread's shadow stack
// in step with its frames. It demotes code that costs more than the budget allows.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "collect/python/budget.h"
#include "collect/python/code/code_registry.h"
#include "collect/python/code/user_code.h"
#include "collect/python/thread_slot.h"

namespace laptime::python {

struct LineOptions {
  UserCode::Rules rules;
  PyObject* predicate = nullptr;  // borrowed
  std::vector<PyObject*>
      only;  // code objects; if not empty, or with `explicit_only`, nothing else is traced
  bool explicit_only = false;
  double budget = -1;  // share of wall time, negative: none
  PyObject* statement_reader =
      nullptr;  // borrowed: file name -> sequence, [line] = first line of its statement
};

class LineEngine {
 public:
  static LineEngine& instance();

  // False, with a Python error set, if the backend cannot attach.
  bool start(const LineOptions& options);
  void stop();
  bool running() const { return running_; }
  std::uint32_t epoch() const { return epoch_; }
  bool explicit_only() const { return explicit_only_; }
  // Adds code to an engine that traces only requested code.
  void watch(PyObject* code);

  // Times code by line again that was too expensive.
  void promote(CodeRecord* record);

  // The record if the code is traced, else null. Decided once per classification. May run Python
  // code.
  CodeRecord* traced(PyObject* code) {
    CodeRecord* record = classified(code);
    if (record == nullptr) [[unlikely]]
      record = classify(code);
    return record->user ? record : nullptr;
  }
  // The record, or library code's mark, if the code is known; else null.
  CodeRecord* classified(PyObject* code) const {
    CodeRecord* record = CodeRegistry::find(code);
    return record != nullptr && record->verdict_generation == generation_ ? record : nullptr;
  }

  // The thread's slot, with its stack in step with this start. `entering`: if the event is an
  // entry, the code of the thread's innermost frame, which the caller pushes itself; else null.
  ThreadSlot* slot_for_event(const PyObject* entering) {
    ThreadSlot* slot = ThreadSlots::current();
    if (slot->line_epoch != epoch_) [[unlikely]]
      rebuild(slot, PyThreadState_Get(), started_, entering);
    return slot;
  }

  // Enters a frame of a traced record, at the line where it resumes or at kEntrySlot.
  void enter(ThreadSlot* slot, CodeRecord* record, std::uint32_t line_slot, std::uint64_t now) {
    if (record->level != Level::lines) [[unlikely]]
      return enter_demoted(slot, record, now);
    slot->line_meter.left -= entry_events_;
    slot->lines.push(record, slot->lines_of(record), line_slot, now);
  }

  // Enters the generators that pass on an exception. Called before the frame of a traced record is
  // entered by an exception that is thrown or, with `closing`, by close(). `shown`: whether the
  // interpreter already lists the frame itself.
  void enter_passing_on(ThreadSlot* slot, std::uint64_t now, bool shown);
  // `close()` does not list them. The time is added to the `yield from` when its own generator is
  // closed.
  void charge_closing(ThreadSlot* slot, CodeRecord* record, std::uint32_t line_slot);

  // For an event of a frame that is not on top: rebuilds the stack from the interpreter's own.
  // Returns the top if it belongs to `code` now, else null.
  LineFrame* realign(ThreadSlot* slot, const PyObject* code, std::uint64_t now);

  // Called before meter(), after an event of a line that costs more than a usual one.
  static void charge_costly_line(ThreadSlot* slot, const LineFrame* frame) {
    slot->line_meter.left -=
        frame->record->event_costs[static_cast<std::size_t>(frame->current - frame->lines)] - 1;
  }

  // Called after each line event. True if the budget was checked: the record's level may have
  // changed.
  bool meter(ThreadSlot* slot, CodeRecord* record, std::uint64_t now) {
    if (!slot->line_meter.due()) [[likely]]
      return false;
    pay(slot, record, now);
    return true;
  }

  void settle_all(std::uint64_t now);
  // The calling thread's time since `begin` was laptime's own work. It is charged to no line.
  void skip_since(std::uint64_t begin);
  void clear();
  std::uint32_t clears() const { return clears_; }  // how often counters were reset
  // Drops the counts of one code object and the count of events, for the calibration's own loop.
  // loop.
  void forget(PyObject* code);
  // Compares the calling thread's shadow stack with its frames, for tests.
  bool in_step();

  // The costs of a line event, of entering and leaving code timed by line, and of the same by call.
  void set_event_cost(double line_ticks, double entry_ticks, double call_ticks);
  // In line events: what costs as much as several of them counts as several.
  std::uint64_t events() const;
  std::uint64_t realignments() const { return realignments_; }
  const Budget& budget() const { return budget_; }

 private:
  struct RunningFrame {
    CodeRecord* record;
    std::uint32_t line_slot;
  };

  CodeRecord* classify(PyObject* code);
  const std::vector<int>& first_lines_of(const std::string& file);
  void read_statements(CodeRecord* record);
  // Computes the cost of its line events. If one pass costs too much, the code is timed by call
  // from the start.
  void estimate_cost(CodeRecord* record);
  std::vector<RunningFrame> running_frames(PyThreadState* thread);
  void rebuild(ThreadSlot* slot, PyThreadState* thread, std::uint64_t since,
               const PyObject* entering);
  // The position of each thread is known only at the start: at its first event it has moved on.
  void enter_running_frames();
  void enter_demoted(ThreadSlot* slot, CodeRecord* record, std::uint64_t now);
  void pay(ThreadSlot* slot, CodeRecord* record, std::uint64_t now);
  void demote(CodeRecord* record, std::uint64_t now);
  void forget(CodeRecord* record);

  bool running_ = false;
  bool explicit_only_ = false;
  std::uint32_t epoch_ = 0;
  std::uint32_t generation_ = 0;
  std::uint64_t started_ = 0;
  std::uint32_t clears_ = 0;
  double line_event_ticks_ = 60;
  std::int32_t entry_events_ = 2, call_events_ = 2;  // in line events
  std::uint64_t realignments_ = 0;
  UserCode user_code_;
  Budget budget_;
  OwnedRef statement_reader_;
  std::unordered_map<std::string, std::vector<int>> statements_;  // by file
};

// ---- What a backend provides (monitoring_lines.cpp for 3.12 and later, frame_hook.cpp below).
// ----
bool attach_lines(bool explicit_only);  // false with a Python error set
void detach_lines();
// Sets the events that the record's level needs.
void arm_lines(CodeRecord* record);

}  // namespace laptime::python
