// Small safe handles on the C API, and the few calls whose names differ between interpreter versions.
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

// Engine code may run while the program's own exception is in flight; it is put back untouched, and ours is dropped.
class ErrorGuard {
 public:
  ErrorGuard() { PyErr_Fetch(&type_, &value_, &traceback_); }
  ~ErrorGuard() { PyErr_Restore(type_, value_, traceback_); }
  ErrorGuard(const ErrorGuard&) = delete;
  ErrorGuard& operator=(const ErrorGuard&) = delete;

 private:
  PyObject *type_, *value_, *traceback_;
};

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
