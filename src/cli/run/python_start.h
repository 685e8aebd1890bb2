// How `laptime run`, `tune` and `doctor` start a Python: its environment, and the location of its
// laptime.
//
// Contract: laptime itself imports no module from the current folder. From PYTHONPATH it imports
// none that has the name of a module of the standard library or of the interpreter's own packages.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/run/child.h"

namespace laptime {

// How Python programs are timed. Other programs ignore it, except for `gpu`.
struct PythonOptions {
  bool gpu = true;  // of other programs too
  bool lines = true;
  bool source = true;
  bool functions = false;
  bool replace_profilers = false;  // of TensorFlow, Keras, JAX and torch
  std::string budget;              // as typed; empty: 5%
  std::vector<std::string> include, exclude;
  struct {
    bool ops = true, shapes = false, memory = false, replace_profiler = false;
    std::string steps;  // as typed; empty: as the budget allows
  } torch;
};

// Returns what is wrong with a budget or with ranges of steps. Empty: nothing.
std::string problem_of_budget(const std::string& text);
std::string problem_of_steps(const std::string& text);

// The interpreter for a Python program if the command line names none.
std::string default_interpreter();

// The folder laptime/_site of the laptime that this interpreter has installed, else of one in a
// folder that PYTHONPATH contains as an absolute path. Fails if the interpreter does not start or
// has no laptime. The user's sitecustomize and usercustomize do not run.
Result<std::string> find_site_folder(const std::string& python);

// The environment that the collectors read (laptime/_collectors.py): LAPTIME_PYTHON, and PYTHONPATH
// with the site folder before the user's entries.
Environment python_environment(const std::string& site_folder, const PythonOptions& options);

// Runs a module of the package like python -m MODULE. The current folder is not searched, and
// PYTHONPATH is searched last.
std::vector<std::string> module_command(const std::string& python, const std::string& module);

}  // namespace laptime
