// The line tracer and another tool's trace function (sys.settrace) on one frame, on CPython 3.10
// and 3.11. Contract: the other function is called as if it were alone, and sys.gettrace() returns
// its object.
#pragma once

#include <Python.h>

#if PY_VERSION_HEX < 0x030C0000

namespace laptime::python {

struct ThreadSlot;

// From construction to destruction, the thread reports to its present trace function, and its lines
// to `lines`.
class SharedTrace {
 public:
  SharedTrace(PyThreadState* thread, ThreadSlot* slot, Py_tracefunc lines);
  ~SharedTrace();
  SharedTrace(const SharedTrace&) = delete;
  SharedTrace& operator=(const SharedTrace&) = delete;

  static bool active(const PyThreadState* thread);
  // Line tracing ends: only the other function is called again.
  static void end(const ThreadSlot* slot);

 private:
  friend class SharedTracePause;
  static int trace_both(PyObject* self, PyFrameObject* frame, int what, PyObject* argument);
  int call_other(PyObject* self, PyFrameObject* frame, int what, PyObject* argument);

  PyThreadState* thread_;
  ThreadSlot* slot_;
  SharedTrace* outer_;
  bool outer_active_;
  Py_tracefunc lines_;
  Py_tracefunc other_;             // null: it ended itself
  bool other_wants_lines_ = true;  // of this frame
  bool ended_ = false;
};

// Lets only the other function see frames that are not timed by line.
class SharedTracePause {
 public:
  SharedTracePause(PyThreadState* thread, ThreadSlot* slot);
  ~SharedTracePause();
  SharedTracePause(const SharedTracePause&) = delete;
  SharedTracePause& operator=(const SharedTracePause&) = delete;

 private:
  PyThreadState* thread_;
  SharedTrace* paused_;  // null: there was none
};

}  // namespace laptime::python

#endif
