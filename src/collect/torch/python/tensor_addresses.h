// Where tensors lie (Tensor._cdata), read without the interpreter for those of torch's own types.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

namespace laptime::torch {

// Contract: with the GIL. No code of a tensor's own class runs: what torch would hand to it is switched off.
class TensorAddresses {
 public:
  // `disable`: torch._C.DisableTorchFunctionSubclass. What is given lives as long as torch.
  TensorAddresses(nanobind::handle tensor, nanobind::handle parameter, nanobind::handle disable)
      : tensor_(reinterpret_cast<PyTypeObject*>(tensor.ptr())), parameter_(reinterpret_cast<PyTypeObject*>(parameter.ptr())), disable_(disable) {
    const auto address = nanobind::steal(PyObject_GetAttrString(tensor.ptr(), "_cdata"));
    if (address.is_valid() && Py_TYPE(address.ptr()) == &PyGetSetDescr_Type) getter_ = reinterpret_cast<PyGetSetDescrObject*>(address.ptr())->d_getset;
    PyErr_Clear();
  }

  // Adds those of the tensors among `objects`, an iterable.
  void add(nanobind::handle objects, std::vector<std::uint64_t>& addresses) const {
    for (const nanobind::handle object : objects)
      if (PyObject_TypeCheck(object.ptr(), tensor_)) addresses.push_back(of(object));
  }

 private:
  std::uint64_t of(nanobind::handle tensor) const {
    const PyTypeObject* const type = Py_TYPE(tensor.ptr());
    if (getter_ == nullptr || (type != tensor_ && type != parameter_)) return of_subclass(tensor);
    const auto address = nanobind::steal(getter_->get(tensor.ptr(), getter_->closure));
    if (!address.is_valid()) throw nanobind::python_error();
    return nanobind::cast<std::uint64_t>(address);
  }
  std::uint64_t of_subclass(nanobind::handle tensor) const {
    const nanobind::object off = disable_();
    off.attr("__enter__")();
    try {
      const auto address = nanobind::cast<std::uint64_t>(tensor.attr("_cdata"));
      off.attr("__exit__")(nanobind::none(), nanobind::none(), nanobind::none());
      return address;
    } catch (...) {
      off.attr("__exit__")(nanobind::none(), nanobind::none(), nanobind::none());
      throw;
    }
  }

  PyTypeObject *tensor_, *parameter_;
  nanobind::handle disable_;
  const PyGetSetDef* getter_ = nullptr;
};

}  // namespace laptime::torch
