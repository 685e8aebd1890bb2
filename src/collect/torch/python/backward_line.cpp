#include "collect/torch/python/backward_line.h"

#include <string_view>

namespace nb = nanobind;

namespace laptime::torch {

namespace {

constexpr std::string_view kTransforms =
    "_functorch";  // torch.func.grad and similar: one request each

std::string_view text_of(PyObject* text) {
  Py_ssize_t length = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(text, &length);
  if (bytes) return {bytes, static_cast<std::size_t>(length)};
  PyErr_Clear();
  return {};
}

}  // namespace

bool BackwardLine::is_asking(PyObject* code) const {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(codes.ptr()); ++i)
    if (PyTuple_GET_ITEM(codes.ptr(), i) == code) return true;
  return false;
}

bool BackwardLine::is_of_torch(PyObject* file) const {
  return text_of(file).starts_with(torch_folder);
}

std::int64_t BackwardLine::of_caller() const {
  auto frame = nb::steal<nb::object>(
      reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
  bool in_transform = false;
  while (frame.is_valid()) {
    auto* const python_frame = reinterpret_cast<PyFrameObject*>(frame.ptr());
    const auto code =
        nb::steal<nb::object>(reinterpret_cast<PyObject*>(PyFrame_GetCode(python_frame)));
    PyObject* const file = reinterpret_cast<PyCodeObject*>(code.ptr())->co_filename;
    if (!is_asking(code.ptr())) {
      if (!is_of_torch(file))
        return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(code.ptr())) << 16 ^
               PyFrame_GetLineNumber(python_frame);
      in_transform |= text_of(file).substr(torch_folder.size()).starts_with(kTransforms);
      if (!in_transform) return 0;
    }
    frame = nb::steal<nb::object>(reinterpret_cast<PyObject*>(PyFrame_GetBack(python_frame)));
  }
  return 0;
}

}  // namespace laptime::torch
