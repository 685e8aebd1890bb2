// The line engine's backend on CPython 3.12 and later.
//
// Events are local to the user's code objects and set once for each. Library code is disabled when
// it is first entered, and costs nothing from then on. PY_UNWIND and PY_THROW exist only globally.
// Without them, exceptions would leave frames behind.
#include "collect/python/interpreter/monitoring_tool.h"

#if PY_VERSION_HEX >= 0x030C0000

#include "base/clock.h"
#include "collect/python/interpreter/monitoring_ids.h"
#include "collect/python/lines/line_engine.h"
#include "collect/python/notices.h"

namespace laptime::python {

namespace {

void move_tool();

MonitoringTool& tool() {
  static auto* tool = new MonitoringTool("laptime lines", &move_tool);
  return *tool;
}

using Arguments = PyObject* const*;

// Resolved once: the callbacks run for every line.
LineEngine* engine = nullptr;
bool only_explicit = false;

constexpr int kCallEvents = kPyStart | kPyResume | kPyReturn | kPyYield;

int events_of(Level level) {
  switch (level) {
    case Level::lines:
      return kCallEvents | kLine;
    case Level::calls:
      return kCallEvents;
    case Level::counts:
      return kPyStart;
    case Level::off:
      return 0;
  }
  return 0;
}

// Lines and offsets are never negative and fit one digit, so the sign is not checked.
int small_int(PyObject* argument) {
  return static_cast<int>(reinterpret_cast<PyLongObject*>(argument)->long_value.ob_digit[0]);
}

PyObject* on_line(PyObject*, Arguments args, std::size_t, PyObject*) {
  const std::uint64_t now = ticks();
  ThreadSlot* slot = ThreadSlots::current();
  LineFrame* frame = slot->lines.top();
  if (frame->code != args[0]) [[unlikely]] {
    frame = engine->realign(slot, args[0], now);
    if (frame == nullptr) return Py_None;
  }
  frame->move_to(small_int(args[1]), now);
  if (frame->record->has_costly_lines) [[unlikely]]
    LineEngine::charge_costly_line(slot, frame);
  engine->meter(slot, frame->record, now);
  return Py_None;
}

// Null if the code is not traced.
[[gnu::noinline]] CodeRecord* arm_new_code(PyObject* code) {
  CodeRecord* record = engine->traced(code);
  if (record != nullptr) arm_lines(record);
  return record;
}

inline CodeRecord* armed(PyObject* code) {
  CodeRecord* record = CodeRegistry::find(code);
  if (record == nullptr || record->armed_epoch != engine->epoch()) [[unlikely]]
    return arm_new_code(code);
  return record;
}

PyObject* on_start(PyObject*, Arguments args, std::size_t, PyObject*) {
  CodeRecord* record = armed(args[0]);
  if (record == nullptr || record->level == Level::off) return MonitoringTool::disable();
  ThreadSlot* slot = engine->slot_for_event(args[0]);
  engine->enter(slot, record, kEntrySlot, ticks());
  return Py_None;
}

void resume(CodeRecord* record, Arguments args) {
  ThreadSlot* slot = engine->slot_for_event(args[0]);
  // The time after the yield or await belongs to its line.
  engine->enter(slot, record, slot_at_instruction(*record, small_int(args[1])), ticks());
}

PyObject* on_resume(PyObject*, Arguments args, std::size_t, PyObject*) {
  CodeRecord* record = armed(args[0]);
  if (record == nullptr || record->level >= Level::counts) return MonitoringTool::disable();
  resume(record, args);
  return Py_None;
}

PyObject* on_throw(PyObject*, Arguments args, std::size_t, PyObject*) {
  CodeRecord* record = armed(args[0]);
  if (record == nullptr || record->level > Level::calls) return Py_None;
  ThreadSlot* slot = engine->slot_for_event(args[0]);
  engine->enter_passing_on(slot, ticks(), true);
  if (PyErr_GivenExceptionMatches(args[2], PyExc_GeneratorExit)) {
    engine->charge_closing(slot, record, slot_at_instruction(*record, small_int(args[1])));
  }
  resume(record, args);
  return Py_None;
}

PyObject* on_exit(PyObject*, Arguments args, std::size_t, PyObject*) {
  const std::uint64_t now = ticks();
  ThreadSlot* slot = ThreadSlots::current();
  if (slot->lines.top()->code != args[0]) [[unlikely]] {
    const CodeRecord* record = CodeRegistry::find(args[0]);
    if (record == nullptr || record->level > Level::calls) return Py_None;
    if (engine->realign(slot, args[0], now) == nullptr) return Py_None;
  }
  slot->lines.pop(now);
  return Py_None;
}

// Called for every frame that an exception leaves. Most are library frames, which are never on the
// stack.
PyObject* on_unwind(PyObject*, Arguments args, std::size_t, PyObject*) {
  const std::uint64_t now = ticks();
  ThreadSlot* slot = ThreadSlots::current();
  if (slot->lines.top()->code == args[0]) {
    slot->lines.pop(now);
  } else if (slot->line_epoch != engine->epoch() && engine->traced(args[0]) != nullptr) {
    if (engine->realign(slot, args[0], now) != nullptr) slot->lines.pop(now);
  }
  return Py_None;
}

void move_tool() {
  detach_lines();
  if (!attach_lines(only_explicit)) {
    add_notice(kMonitoringTaken,
               "the program took all tool ids of sys.monitoring: its lines are no longer measured");
    return engine->stop();
  }
  for (const auto& record : CodeRegistry::instance().records())
    if (record->armed_epoch == engine->epoch() && record->code != nullptr) arm_lines(record.get());
}

}  // namespace

bool attach_lines(bool explicit_only) {
  engine = &LineEngine::instance();
  only_explicit = explicit_only;
  if (!tool().acquire()) return false;
  int global_events = kPyUnwind | kPyThrow;
  if (!explicit_only) global_events |= kPyStart | kPyResume;
  const bool ready = tool().set_callbacks({{kLine, on_line},
                                           {kPyStart, on_start},
                                           {kPyResume, on_resume},
                                           {kPyThrow, on_throw},
                                           {kPyReturn, on_exit},
                                           {kPyYield, on_exit},
                                           {kPyUnwind, on_unwind}}) &&
                     MonitoringTool::restart_events() && tool().set_events(global_events);
  if (!ready) tool().release();
  return ready;
}

void detach_lines() {
  if (!tool().held()) return;
  const ErrorGuard guard;
  tool().set_events(0);
  for (const auto& record : CodeRegistry::instance().records()) {
    if (record->armed_epoch != engine->epoch() || record->code == nullptr) continue;
    if (!tool().set_local_events(record->code, 0)) PyErr_Clear();
  }
  tool().release();
}

void arm_lines(CodeRecord* record) {
  const ErrorGuard guard;
  record->armed_epoch = engine->epoch();
  if (!tool().set_local_events(record->code, events_of(record->level))) PyErr_Clear();
}

}  // namespace laptime::python

#endif
