#include "collect/jax/python/call_inputs.h"

namespace laptime::jax {

namespace {

constexpr int kDeepest = 8;

// Null: it has none, or is no container.
PyObject* first_of(PyObject* object) {
  if (PyDict_CheckExact(object)) {
    Py_ssize_t at = 0;
    PyObject *key = nullptr, *value = nullptr;
    return PyDict_Next(object, &at, &key, &value) ? value : nullptr;
  }
  if (PyTuple_Check(object))
    return PyTuple_GET_SIZE(object) > 0 ? PyTuple_GET_ITEM(object, 0) : nullptr;
  if (PyList_CheckExact(object))
    return PyList_GET_SIZE(object) > 0 ? PyList_GET_ITEM(object, 0) : nullptr;
  return nullptr;
}

}  // namespace

std::uint64_t inputs_of(PyObject* const* arguments, Py_ssize_t count,
                        std::uint64_t static_arguments, PyObject* array_type) {
  Py_ssize_t at = 0;
  while (at < count && at < 64 && (static_arguments >> at & 1) != 0) ++at;
  PyObject* object = at < count ? arguments[at] : nullptr;
  for (int depth = 0; object != nullptr && depth < kDeepest; ++depth) {
    if (reinterpret_cast<PyObject*>(Py_TYPE(object)) == array_type)
      return reinterpret_cast<std::uintptr_t>(object);
    object = first_of(object);
  }
  return 0;
}

}  // namespace laptime::jax
