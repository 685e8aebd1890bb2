// Small safe handles on the C API, and the few calls whose names differ between interpreter
// versions.
#pragma once

#include <Python.h>

#include <utility>

namespace laptime::python {

class OwnedRef {
 public:
  OwnedRef() = default;
  explicit OwnedRef(PyObject* object) : object_(object) {}
  OwnedRef(OwnedRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  OwnedRef& operator=(OwnedRef&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~OwnedRef() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// Engine code may run while an exception of the program propagates. The guard restores it unchanged
// and drops the engine's own.
class ErrorGuard {
 public:
  ErrorGuard() { PyErr_Fetch(&type_, &value_, &traceback_); }
  ~ErrorGuard() { PyErr_Restore(type_, value_, traceback_); }
  ErrorGuard(const ErrorGuard&) = delete;
  ErrorGuard& operator=(const ErrorGuard&) = delete;

 private:
  PyObject *type_, *value_, *traceback_;
};

// Whether the calling thread may use Python objects of the main interpreter. Unlike
// PyGILState_Check, also correct in programs with several interpreters.
inline bool holds_gil_of_main_interpreter() {
#if PY_VERSION_HEX >= 0x030D0000
  PyThreadState* const thread = PyThreadState_GetUnchecked();
#elif PY_VERSION_HEX >= 0x030C0000
  PyThreadState* const thread = _PyThreadState_UncheckedGet();
#else
  PyThreadState* const thread = PyGILState_GetThisThreadState();
  if (thread != _PyThreadState_UncheckedGet()) return false;
#endif
  return thread != nullptr && PyThreadState_GetInterpreter(thread) == PyInterpreterState_Main();
}

inline Py_ssize_t request_code_extra_index(freefunc on_free) {
#if PY_VERSION_HEX >= 0x030C0000
  return PyUnstable_Eval_RequestCodeExtraIndex(on_free);
#else
  return _PyEval_RequestCodeExtraIndex(on_free);
#endif
}

inline bool set_code_extra(PyObject* code, Py_ssize_t index, void* value) {
#if PY_VERSION_HEX >= 0x030C0000
  return PyUnstable_Code_SetExtra(code, index, value) == 0;
#else
  return _PyCode_SetExtra(code, index, value) == 0;
#endif
}

}  // namespace laptime::python
