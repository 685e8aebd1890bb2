// Which line of a program asks for gradients: the same number for the same line, within a process.
#pragma once

#include <nanobind/nanobind.h>
#include <cstdint>
#include <string>

namespace laptime::torch {

struct BackwardLine {
  nanobind::object codes;  // a tuple: the code of torch's functions that ask for gradients, which
                           // lie between the program and the engine
  std::string torch_folder;

  // Of the running function's callers. 0: torch asks on its own behalf, several times for one
  // request of the program's perhaps (a Jacobian, a checkpoint). Assumption: the GIL is held. Costs
  // three frames in most programs.
  std::int64_t of_caller() const;

 private:
  bool is_asking(PyObject* code) const;
  bool is_of_torch(PyObject* file) const;
};

}  // namespace laptime::torch
