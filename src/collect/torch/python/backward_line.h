// The line of the program that requests gradients: within a process, one number for each line.
#pragma once

#include <nanobind/nanobind.h>
#include <cstdint>
#include <string>

namespace laptime::torch {

struct BackwardLine {
  // a tuple: the code of torch's functions that request gradients, between the program and the
  // engine
  nanobind::object codes;
  std::string torch_folder;

  // Searches the callers of the running function. 0: torch itself requests gradients, perhaps
  // several times for one request of the program (a Jacobian, a checkpoint). Assumption: the GIL is
  // held. Reads three frames in most programs.
  std::int64_t of_caller() const;

 private:
  bool is_asking(PyObject* code) const;
  bool is_of_torch(PyObject* file) const;
};

}  // namespace laptime::torch
