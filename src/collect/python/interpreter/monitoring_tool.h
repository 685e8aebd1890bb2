// One tool of sys.monitoring (CPython 3.12 and later): a free tool id, and C callbacks.
//
// Assumption: callbacks are objects with a vectorcall slot, the cheapest thing that the interpreter
// can call. Contract: an id in use is never taken. 3 and 4 are tried first, and 2, the id of a
// program's own cProfile, last. The program sees these ids as free. When it takes one, the tool
// moves to another id (monitoring_ids.h).
#pragma once

#include <Python.h>

#if PY_VERSION_HEX >= 0x030C0000

#include <initializer_list>
#include <utility>

#include "collect/python/interpreter/monitoring_ids.h"

namespace laptime::python {

enum MonitoringEvent : int {
  kPyStart = 1 << 0,
  kPyResume = 1 << 1,
  kPyReturn = 1 << 2,
  kPyYield = 1 << 3,
  kCall = 1 << 4,
  kLine = 1 << 5,
  kPyUnwind = 1 << 12,
  kPyThrow = 1 << 13,
  kCReturn = 1 << 15,
  kCRaise = 1 << 16,
};

class MonitoringTool {
 public:
  // `move` releases the tool and sets it up again, because the program takes its id.
  MonitoringTool(const char* name, void (*move)()) : name_(name), holder_{-1, move} {}

  // False, with a Python error set, if all ids are taken.
  bool acquire();
  void release();
  bool held() const { return holder_.id >= 0; }
  int id() const { return holder_.id; }

  bool set_callbacks(std::initializer_list<std::pair<MonitoringEvent, vectorcallfunc>> callbacks);
  bool set_events(int events);
  bool set_local_events(PyObject* code, int events);
  // Undoes every DISABLE. The interpreter has only one switch for all tools, so other tools get
  // their events again, too.
  static bool restart_events();

  static PyObject* disable();  // a new reference to sys.monitoring.DISABLE
  static PyObject* missing();  // borrowed: sys.monitoring.MISSING

 private:
  const char* name_;
  MonitoringIdHolder holder_;
};

}  // namespace laptime::python

#endif
