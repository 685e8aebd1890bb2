// Puts the text of the program's own files into the recording, if a recorded code names them.
//
// A file is read once, when its first code is met, so that the run holds the code that was
// measured. Files that only other sources name (ops, launches) are read at the end of a step.
// Contract: all calls hold the GIL.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <unordered_set>

#include "collect/python/code/user_code.h"
#include "collect/python/interpreter/python_support.h"

namespace laptime::python {

class SourceKeeper {
 public:
  // Never destroyed: recording may stop at the interpreter's very end.
  static SourceKeeper& instance();

  // `reader`: (file name, whether it was loaded just now) -> its text as UTF-8. None: it has no
  // text. False: it is left out.
  void start(UserCode::Rules rules, PyObject* reader);
  void stop();

  void keep(const std::string& file, bool loaded_just_now);
  // Keeps the files of codes that are new since the last call.
  void keep_new();
  void after_fork();

 private:
  void read(const std::string& file, bool loaded_just_now);
  void follow_recording();

  UserCode user_code_;
  OwnedRef reader_;
  std::unordered_set<std::string> seen_;
  std::uint32_t next_file_ = 0;  // record::code_file
  std::uint32_t epoch_ = 0;      // the recording that has the kept files
  bool forked_ = false;          // the parent's part of the run has the files kept before the fork
  bool busy_ = false;            // the reader is running
};

}  // namespace laptime::python
