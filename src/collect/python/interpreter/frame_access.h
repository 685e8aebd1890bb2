// The interpreter's internals that the frame hook reads and writes on CPython 3.10 and 3.11. These
// versions are frozen, so their layouts no longer change. Only the frame hook's sources include
// this.
#pragma once

#include <Python.h>

#if PY_VERSION_HEX < 0x030C0000

#include <frameobject.h>

#include <cstdint>
#if PY_VERSION_HEX >= 0x030B0000
#define Py_BUILD_CORE 1
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE
#endif

namespace laptime::python {

#if PY_VERSION_HEX >= 0x030B0000

using EvalFrame = _PyInterpreterFrame;
inline PyObject* code_of(const EvalFrame* frame) {
  return reinterpret_cast<PyObject*>(frame->f_code);
}
inline PyObject* code_of(const PyFrameObject* frame) {
  return reinterpret_cast<PyObject*>(frame->f_frame->f_code);
}
// Byte offset of the instruction that ran last; negative before the first.
inline std::int64_t last_offset(const EvalFrame* frame) {
  return 2 * std::int64_t{_PyInterpreterFrame_LASTI(frame)};
}
// Calling a generator function evaluates its frame until the generator object exists. That is not a
// call of its body.
inline bool makes_generator(const EvalFrame* frame) {
  constexpr int kGenerators = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR;
  return (frame->f_code->co_flags & kGenerators) != 0 && frame->owner == FRAME_OWNED_BY_THREAD;
}

#else

using EvalFrame = PyFrameObject;
inline PyObject* code_of(const EvalFrame* frame) {
  return reinterpret_cast<PyObject*>(frame->f_code);
}
inline std::int64_t last_offset(const EvalFrame* frame) { return 2 * std::int64_t{frame->f_lasti}; }
inline bool makes_generator(const EvalFrame*) { return false; }

#endif

inline void update_tracing(PyThreadState* thread) {
  const bool on =
      thread->tracing == 0 && (thread->c_tracefunc != nullptr || thread->c_profilefunc != nullptr);
  thread->cframe->use_tracing = on ? 255 : 0;
}

// Sets both the function and the flag: the interpreter's error path checks only the function and
// switches the flag on.
inline void set_trace(PyThreadState* thread, Py_tracefunc function) {
  thread->c_tracefunc = function;
  update_tracing(thread);
}

template <typename Visit>
void for_each_python_thread(Visit visit) {
  for (PyThreadState* thread = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
       thread != nullptr; thread = PyThreadState_Next(thread)) {
    visit(thread);
  }
}

}  // namespace laptime::python

#endif
