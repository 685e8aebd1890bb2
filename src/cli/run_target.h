// What `laptime run` starts: a command as it is, or a Python program through the interpreter that has laptime installed.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace laptime {

// The words of a command line of `run`, split where the program begins: at "--", at "-m" or "-c", or at the first word
// that is no option. `takes_value` tells which options are followed by a word of their own.
struct RunWords {
  std::vector<std::string> options;
  std::vector<std::string> program;  // without a leading "--"
};
template <typename TakesValue>
RunWords split_run_words(const std::vector<std::string>& words, TakesValue takes_value) {
  RunWords split;
  std::size_t i = 0;
  for (; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool program_starts = word == "--" || word == "-m" || word == "-c" || word.size() < 2 || word[0] != '-';
    if (program_starts) break;
    split.options.push_back(word);
    if (takes_value(word) && i + 1 < words.size()) split.options.push_back(words[++i]);
  }
  if (i < words.size() && words[i] == "--") ++i;
  split.program.assign(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  return split;
}

// How Python programs are timed; ignored for others.
struct PythonOptions {
  bool gpu = true;  // of other programs too
  bool lines = true;
  bool source = true;
  bool functions = false;
  std::string budget;  // as typed; empty: the package's default
  std::vector<std::string> include, exclude;
  struct {
    bool ops = true, shapes = false, memory = false, replace_profiler = false;
    std::string steps;  // as typed; empty: those that the budget allows
  } torch;
};

// The interpreter that a Python program is run with when the command line names none.
std::string default_interpreter();

struct RunTarget {
  std::vector<std::string> command;
  bool is_python = false;
  std::string name;  // for the default file name: "train" of train.py, "pkg" of -m pkg
};

// A script (*.py, or a folder or zip with __main__), -m MODULE, -c CODE, or "python… …" is a Python program.
Result<RunTarget> choose_target(const std::vector<std::string>& program, const PythonOptions& options);

}  // namespace laptime
