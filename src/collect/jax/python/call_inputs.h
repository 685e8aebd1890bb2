// A number that changes when a call gets other parameters: the address of the first array in the
// first argument that is not static.
//
// Assumption: while a call runs, its inputs exist, so its outputs have other addresses.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>

namespace laptime::jax {

// 0: that argument does not begin with an array. Looks into dicts, tuples and lists only.
std::uint64_t inputs_of(PyObject* const* arguments, Py_ssize_t count,
                        std::uint64_t static_arguments, PyObject* array_type);

}  // namespace laptime::jax
