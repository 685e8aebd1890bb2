// The code of a program that was given as `python -c TEXT`. Its file is <string>, like that of code
// which libraries make.
//
// Contract: is_command_code needs no GIL and takes no reference.
#pragma once

#include <Python.h>

namespace laptime::python {

inline constexpr const char* kCommandFile = "<string>";

// `code`: the compiled text. Contract: called once, before other threads call is_command_code.
void set_command_code(PyObject* code);
// Whether `code` is that code, or a function in it.
bool is_command_code(const PyCodeObject* code);
bool has_command_code();

}  // namespace laptime::python
