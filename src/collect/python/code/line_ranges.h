// The line table of a code object, entry by entry.
#pragma once

#include <Python.h>

#include "collect/python/interpreter/python_support.h"

namespace laptime::python {

// Calls visit(start_offset, end_offset, line) for each entry of co_lines(). `line` is -1 if the
// entry has none.
template <typename Visit>
void for_each_line_range(PyObject* code, Visit visit) {
  OwnedRef lines(PyObject_CallMethod(code, "co_lines", nullptr));
  if (!lines) return PyErr_Clear();
  while (OwnedRef entry{PyIter_Next(lines.get())}) {
    PyObject* line = PyTuple_GET_ITEM(entry.get(), 2);
    visit(PyLong_AsLong(PyTuple_GET_ITEM(entry.get(), 0)),
          PyLong_AsLong(PyTuple_GET_ITEM(entry.get(), 1)),
          line == Py_None ? -1 : static_cast<int>(PyLong_AsLong(line)));
  }
  PyErr_Clear();
}

}  // namespace laptime::python
