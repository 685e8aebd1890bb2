// The module laptime._native: Python's door to the recorder of this process.
#include <nanobind/nanobind.h>

#include "laptime/laptime.h"

NB_MODULE(_native, m) {
  m.doc() = "laptime's native half: the recorder that this process shares with C and C++ code.";
  m.def("version", &laptime_version, "The version of liblaptime.so.");
}
