// Reads attributes of tensors without running code of their own classes, or of a torch mode, which
// sees every access.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::torch {

// Contract: the GIL is held.
class QuietTorch {
 public:
  // `disable`: torch._C.DisableTorchFunction; `mode_is_on`:
  // torch._C._is_torch_function_mode_enabled. Both live as long as torch.
  QuietTorch(nanobind::handle disable, nanobind::handle mode_is_on)
      : disable_(disable), mode_is_on_(mode_is_on) {}

  bool mode_is_on() const { return nanobind::cast<bool>(mode_is_on_()); }

  // A new reference, or null with the exception set.
  PyObject* attribute(nanobind::handle tensor, nanobind::handle name) const {
    const nanobind::object off = disable_();
    off.attr("__enter__")();
    PyObject* const found = PyObject_GetAttr(tensor.ptr(), name.ptr());
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    off.attr("__exit__")(nanobind::none(), nanobind::none(), nanobind::none());
    PyErr_Restore(type, value, traceback);
    return found;
  }

 private:
  nanobind::handle disable_, mode_is_on_;
};

}  // namespace laptime::torch
