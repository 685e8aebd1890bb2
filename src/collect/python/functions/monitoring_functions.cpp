// The function engine's backend on CPython 3.12 and later. It uses global events and a second tool
// beside the line engine's.
#include "collect/python/interpreter/monitoring_tool.h"

#if PY_VERSION_HEX >= 0x030C0000

#include "base/clock.h"
#include "collect/python/functions/function_engine.h"
#include "collect/python/interpreter/monitoring_ids.h"
#include "collect/python/notices.h"

namespace laptime::python {

namespace {

void move_tool();

MonitoringTool& tool() {
  static auto* tool = new MonitoringTool("laptime functions", &move_tool);
  return *tool;
}

using Arguments = PyObject* const*;

FunctionEngine* engine = nullptr;
PyObject* missing = nullptr;
bool with_builtins = false;

PyObject* on_start(PyObject*, Arguments args, std::size_t, PyObject*) {
  return engine->enter(args[0]) ? Py_None : MonitoringTool::disable();
}

PyObject* on_throw(PyObject*, Arguments args, std::size_t, PyObject*) {
  engine->enter(args[0]);
  return Py_None;
}

PyObject* on_exit(PyObject*, Arguments args, std::size_t, PyObject*) {
  return engine->leave(args[0], ticks()) ? Py_None : MonitoringTool::disable();
}

// This event cannot be disabled.
PyObject* on_unwind(PyObject*, Arguments args, std::size_t, PyObject*) {
  engine->leave(args[0], ticks());
  return Py_None;
}

PyObject* on_call(PyObject*, Arguments args, std::size_t, PyObject*) {
  if (!engine->follows_calls_of(args[0])) [[unlikely]]
    return MonitoringTool::disable();
  engine->enter_c(args[2], args[3] == missing ? nullptr : args[3]);
  return Py_None;
}

PyObject* on_c_exit(PyObject*, Arguments args, std::size_t, PyObject*) {
  engine->leave_c(args[2], args[3] == missing ? nullptr : args[3], ticks());
  return Py_None;
}

void move_tool() {
  detach_functions();
  if (attach_functions(with_builtins)) return;
  add_notice(kMonitoringTaken,
             "the program took all tool ids of sys.monitoring: its calls are no longer measured");
  engine->stop();
}

}  // namespace

bool attach_functions(bool builtins) {
  with_builtins = builtins;
  engine = &FunctionEngine::instance();
  missing = MonitoringTool::missing();
  if (!tool().acquire()) return false;
  int events = kPyStart | kPyResume | kPyReturn | kPyYield | kPyUnwind | kPyThrow;
  if (builtins) events |= kCall;  // C_RETURN and C_RAISE come with CALL
  const bool ready = tool().set_callbacks({{kPyStart, on_start},
                                           {kPyResume, on_start},
                                           {kPyThrow, on_throw},
                                           {kPyReturn, on_exit},
                                           {kPyYield, on_exit},
                                           {kPyUnwind, on_unwind},
                                           {kCall, on_call},
                                           {kCReturn, on_c_exit},
                                           {kCRaise, on_c_exit}}) &&
                     MonitoringTool::restart_events() && tool().set_events(events);
  if (!ready) tool().release();
  return ready;
}

void detach_functions() { tool().release(); }

void show_profiler(PyObject*) {}

}  // namespace laptime::python

#endif
