// Where in the program an op was called: the innermost line of the user's own code on the calling
// thread, and the nn.Module that was running. Where a package's code ran below that line, the
// call site's call frame is the package's innermost line, and its caller the user's line. Code that
// torch.compile made of the user's has the line that it was made from, where that is known.
//
// Assumption: addresses of code objects and modules are used again once they are freed.
// Consequence: a remembered verdict on a code object holds only while its line table and first line
// are the same; modules are watched (module_paths.h).
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <vector>

#include "collect/python/code/user_code.h"
#include "collect/torch/op_recorder.h"

namespace laptime::torch {

struct CallSiteRules {
  python::UserCode::Rules user_code;
  // Folders of the framework itself, whose code is no package's. Without any no package is told
  // apart.
  std::vector<std::string> framework_folders = {};
  PyObject* module_call =
      nullptr;  // code of torch.nn.Module.__call__, whose first argument is the module; kept alive
  PyObject* module_type = nullptr;  // torch.nn.Module; kept alive
};
// With the GIL.
void configure_call_sites(const CallSiteRules& rules);

CallSiteSource python_call_sites();

// Whether call sites found from now on also say which frames ran (record::add_frame): the library's
// and all callers.
void keep_frames(bool on);

// The calling thread's call site as a plain function, for other collectors: 0 where no line of the
// user's runs. Without the GIL.
std::uint32_t call_site_here();

// Finds the paths of modules met since the last time. With the GIL; does nothing without one.
// Looking for them takes milliseconds, so a program that makes new modules all the time is looked
// at less and less often, unless `now`.
void name_modules(bool now);

// Before the interpreter takes itself apart: from then on nothing of it is remembered.
void python_will_end();

void forget_module(const PyObject* instance);

// What is known of a module that torch.compile generated: from each `first_line` of its file on,
// the line of the program, `line` 0 where there is none. By rising first line.
struct GeneratedLine {
  std::uint32_t first_line;
  std::string file, function;
  int function_line;
  std::uint32_t line;
};
void add_generated_code(const std::string& file, const std::vector<GeneratedLine>& lines);
// record::add_call_site of a line that is known otherwise.
std::uint32_t call_site_of_line(const std::string& file, const std::string& function,
                                int function_line, std::uint32_t line);
// By the rules of configure_call_sites. With the GIL.
bool is_user_code(const std::string& file);

}  // namespace laptime::torch
