// The part of the frame hook (CPython 3.10 and 3.11) that the function engine's backend switches.
#pragma once

#include <Python.h>

namespace laptime::python {

void hook_calls(bool on);

// Called around every frame of every thread, to decide frame by frame what is recorded of it.
struct FrameLimiter {
  // Returns the earlier state; `end` gets it.
  bool (*begin)(PyThreadState* thread, PyObject* code);
  void (*end)(PyThreadState* thread, bool before);
};
void hook_limiter(const FrameLimiter* wanted);  // null: none

}  // namespace laptime::python
