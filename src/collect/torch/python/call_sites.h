// The place in the program that called an op: the innermost line of the user's own code on the
// calling thread, and the nn.Module that was running. If a package's code ran below that line, the
// call site's call frame is the package's innermost line. Its caller is the user's line. Code that
// torch.compile made from the user's code has the line that it was made from, if that is known.
//
// Assumption: addresses of code objects and modules are reused after they are freed. Consequence: a
// remembered verdict on a code object holds only while its line table and first line are unchanged.
// Modules are watched (module_paths.h).
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
  // Folders of the framework itself: its code belongs to no package. If empty, no packages are
  // distinguished.
  std::vector<std::string> framework_folders = {};
  PyObject* module_call =
      nullptr;  // torch.nn.Module.__call__, whose first argument is the module; kept alive
  PyObject* module_type = nullptr;  // torch.nn.Module; kept alive
};
// Contract: the GIL is held.
void configure_call_sites(const CallSiteRules& rules);

CallSiteSource python_call_sites();

// Whether call sites found from now on also have all frames that ran (record::add_frame): those of
// libraries and of all callers.
void keep_frames(bool on);

// The calling thread's call site as a plain function, for other collectors. 0 if no line of the
// user runs. Needs no GIL.
std::uint32_t call_site_here();

// Finds the paths of modules met since the last call. Contract: the GIL is held; without modules
// nothing is done. The search takes milliseconds, so a program that always makes new modules is
// searched less and less often, unless `now`.
void name_modules(bool now);

// Contract: called before the interpreter is finalized. From then on nothing of it is remembered.
void python_will_end();

void forget_module(const PyObject* instance);

// The program's lines for a module that torch.compile generated: `line` holds from `first_line` of
// its file on. `line` is 0 if there is none. Sorted by first line.
struct GeneratedLine {
  std::uint32_t first_line;
  std::string file, function;
  int function_line;
  std::uint32_t line;
};
void add_generated_code(const std::string& file, const std::vector<GeneratedLine>& lines);
// record::add_call_site of a line that is known from elsewhere. `module`: the path of the layer
// that ran, may be empty.
std::uint32_t call_site_of_line(const std::string& file, const std::string& function,
                                int function_line, std::uint32_t line,
                                const std::string& module = "");
// Applies the rules of configure_call_sites. Contract: the GIL is held.
bool is_user_code(const std::string& file);

}  // namespace laptime::torch
