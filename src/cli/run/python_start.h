// How `laptime run`, `tune` and `doctor` start a Python: what it needs in its environment, and
// where its laptime is.
//
// Contract: no module of the current folder is imported for laptime's own purposes, and none of
// PYTHONPATH that has the name of one of the standard library or of the interpreter's own packages.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/run/child.h"

namespace laptime {

// How Python programs are timed; ignored for others.
struct PythonOptions {
  bool gpu = true;  // of other programs too
  bool lines = true;
  bool source = true;
  bool functions = false;
  std::string budget;  // as typed; empty: 5%
  std::vector<std::string> include, exclude;
  struct {
    bool ops = true, shapes = false, memory = false, replace_profiler = false;
    std::string steps;  // as typed; empty: those that the budget allows
  } torch;
};

// Empty, or what is wrong with a budget or with ranges of steps.
std::string problem_of_budget(const std::string& text);
std::string problem_of_steps(const std::string& text);

// The interpreter that a Python program is run with when the command line names none.
std::string default_interpreter();

// laptime/_site of the laptime that this interpreter has installed; else of one in a folder that
// PYTHONPATH names in full. An error where the interpreter does not start or has none. The user's
// sitecustomize and usercustomize do not run.
Result<std::string> find_site_folder(const std::string& python);

// What the collectors read (laptime/_collectors.py): LAPTIME_PYTHON, and PYTHONPATH with the site
// folder before the user's entries.
Environment python_environment(const std::string& site_folder, const PythonOptions& options);

// Runs a module of the package: python -m MODULE, but the current folder is not searched and
// PYTHONPATH is searched last.
std::vector<std::string> module_command(const std::string& python, const std::string& module);

}  // namespace laptime
