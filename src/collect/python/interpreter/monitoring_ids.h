// The tool ids of sys.monitoring that laptime's tools hold, and how the program can take them
// (CPython 3.12 and later).
//
// While a tool of laptime's holds an id, laptime replaces use_tool_id, get_tool, get_events and
// free_tool_id of sys.monitoring. To the program such an id is free. When the program takes one,
// the tool first moves to another id. If none is left, that tool stops with the notice
// monitoring_taken.
#pragma once

#include <Python.h>

#if PY_VERSION_HEX >= 0x030C0000

namespace laptime::python {

inline constexpr const char* kMonitoringTaken = "monitoring_taken";

// The holder of an id. `make_way` releases the id and acquires another, because the program takes
// it.
struct MonitoringIdHolder {
  int id = -1;
  void (*make_way)() = nullptr;
};

enum class Taken { by_us, by_others, failed };  // failed: a Python error is set
Taken take_monitoring_id(MonitoringIdHolder* holder, int id, const char* name);
void free_monitoring_id(MonitoringIdHolder* holder, int id);

}  // namespace laptime::python

#endif
