#include "collect/torch/python/batch_samples.h"

namespace nb = nanobind;

namespace laptime::torch {

namespace {

constexpr int kDeepestBatch = 4;  // most nested lists in a batch

bool runs_code(nb::handle object, const BatchWords& words) {
  auto* const tensor = reinterpret_cast<PyTypeObject*>(words.tensor.ptr());
  return PyObject_TypeCheck(object.ptr(), tensor) &&
         (Py_TYPE(object.ptr()) != tensor || words.quiet.mode_is_on());
}

// Also None if reading the shape fails. Ctrl-C and similar exceptions are passed on to the program.
nb::object shape_or_none(nb::handle object, const BatchWords& words) {
  PyObject* const found = runs_code(object, words)
                              ? words.quiet.attribute(object, words.shape)
                              : PyObject_GetAttr(object.ptr(), words.shape.ptr());
  if (found) return nb::steal(found);
  if (!PyErr_ExceptionMatches(PyExc_Exception)) nb::raise_python_error();
  PyErr_Clear();
  return nb::none();
}

// 0: it has no dimension, or one that is no number of samples.
std::uint64_t first_dimension(nb::handle shape) {
  std::uint64_t samples = 0;
  return PyTuple_GET_SIZE(shape.ptr()) > 0 &&
                 nb::try_cast(nb::handle(PyTuple_GET_ITEM(shape.ptr(), 0)), samples)
             ? samples
             : 0;
}

nb::object first_value(nb::handle mapping) {
  for (const nb::handle value : mapping.attr("values")()) return nb::borrow(value);
  return nb::none();
}

}  // namespace

std::uint64_t samples_in(nb::object batch, const BatchWords& words) {
  for (int depth = 0; depth < kDeepestBatch; ++depth) {
    if (PyList_Check(batch.ptr()) || PyTuple_Check(batch.ptr())) {
      const Py_ssize_t size = PySequence_Fast_GET_SIZE(batch.ptr());
      batch = size > 0 ? nb::borrow(PySequence_Fast_GET_ITEM(batch.ptr(), 0)) : nb::none();
      continue;
    }
    const nb::object shape = shape_or_none(batch, words);
    if (PyTuple_Check(shape.ptr())) return first_dimension(shape);
    const int is_mapping = PyObject_IsInstance(batch.ptr(), words.mapping.ptr());
    if (is_mapping < 0) nb::raise_python_error();
    if (is_mapping == 0) return 0;
    batch = first_value(batch);
  }
  return 0;
}

}  // namespace laptime::torch
