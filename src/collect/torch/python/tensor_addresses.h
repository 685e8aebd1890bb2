// Addresses of tensors (Tensor._cdata), read without the interpreter for torch's own types.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "collect/torch/python/quiet_torch.h"

namespace laptime::torch {

// Contract: the GIL is held. No code of a tensor's own class or of a torch mode runs: dispatch to
// them is switched off.
class TensorAddresses {
 public:
  // The types live as long as torch.
  TensorAddresses(nanobind::handle tensor, nanobind::handle parameter, QuietTorch quiet)
      : tensor_(reinterpret_cast<PyTypeObject*>(tensor.ptr())),
        parameter_(reinterpret_cast<PyTypeObject*>(parameter.ptr())),
        quiet_(quiet) {
    const auto address = nanobind::steal(PyObject_GetAttr(tensor.ptr(), name_.ptr()));
    if (address.is_valid() && Py_TYPE(address.ptr()) == &PyGetSetDescr_Type)
      getter_ = reinterpret_cast<PyGetSetDescrObject*>(address.ptr())->d_getset;
    PyErr_Clear();
  }

  // Adds the addresses of `list`'s tensors without running Python code, so all of them are alive
  // until some runs. False if that is impossible: it is not a list, or has elements of other types.
  // Then the caller must remove what was added.
  bool add_at_once(PyObject* list, std::vector<std::uint64_t>& addresses) const {
    if (!can_read() || !PyList_CheckExact(list)) return false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
      PyObject* const object = PyList_GET_ITEM(list, i);
      if (!is_plain(object)) return false;
      addresses.push_back(read(object));
    }
    return true;
  }
  // Adds the addresses of the tensors among `objects`, an iterable.
  void add(nanobind::handle objects, std::vector<std::uint64_t>& addresses) const {
    const bool reads = can_read();
    for (const nanobind::handle object : objects)
      if (PyObject_TypeCheck(object.ptr(), tensor_))
        addresses.push_back(reads && is_plain(object.ptr()) ? read(object.ptr()) : query(object));
  }

 private:
  // Whether addresses of plain tensors can be read without the interpreter.
  bool can_read() const { return getter_ != nullptr && !quiet_.mode_is_on(); }
  bool is_plain(const PyObject* object) const {
    return Py_TYPE(object) == parameter_ || Py_TYPE(object) == tensor_;
  }
  std::uint64_t read(PyObject* plain) const {
    return as_number(getter_->get(plain, getter_->closure));
  }
  std::uint64_t query(nanobind::handle tensor) const {
    return as_number(quiet_.attribute(tensor, name_));
  }
  // `address`: a new reference, or null with the exception set.
  static std::uint64_t as_number(PyObject* address) {
    if (!address) nanobind::raise_python_error();
    return nanobind::cast<std::uint64_t>(nanobind::steal(address));
  }

  PyTypeObject *tensor_, *parameter_;
  QuietTorch quiet_;
  nanobind::object name_ = nanobind::steal(PyUnicode_InternFromString("_cdata"));
  const PyGetSetDef* getter_ = nullptr;
};

}  // namespace laptime::torch
