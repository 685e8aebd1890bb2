// Conversion between Python texts and bytes. A file name may hold any bytes, and any text may hold
// lone surrogates: neither is an error.
//
// Contract: `text_from(bytes_of(text))` equals `text`.
#pragma once

#include <Python.h>

#include <string>
#include <string_view>

#include "collect/python/interpreter/python_support.h"

namespace laptime::python {

// UTF-8. Bytes of a file name that are not UTF-8 are restored. Empty if the object is not a text.
inline std::string bytes_of(PyObject* unicode) {
  if (unicode == nullptr || !PyUnicode_Check(unicode)) return "";
  Py_ssize_t size = 0;
  if (const char* text = PyUnicode_AsUTF8AndSize(unicode, &size))
    return std::string(text, static_cast<std::size_t>(size));
  for (const char* surrogates : {"surrogateescape", "surrogatepass"}) {
    PyErr_Clear();
    if (const OwnedRef bytes{PyUnicode_AsEncodedString(unicode, "utf-8", surrogates)})
      return std::string(PyBytes_AS_STRING(bytes.get()),
                         static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get())));
  }
  PyErr_Clear();
  return "";
}

// A new reference. Null only if memory is exhausted.
inline PyObject* text_from(std::string_view bytes) {
  const auto size = static_cast<Py_ssize_t>(bytes.size());
  if (PyObject* text = PyUnicode_DecodeUTF8(bytes.data(), size, "surrogatepass")) return text;
  PyErr_Clear();
  return PyUnicode_DecodeUTF8(bytes.data(), size, "surrogateescape");
}

}  // namespace laptime::python
