// What `laptime run` starts: a command, or a Python program through the interpreter that has
// laptime installed.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/run/child.h"
#include "cli/run/python_start.h"

namespace laptime {

// The words of a command line of `run`, split at the program's begin: at "--", at "-m" or "-c", or
// at the first word that is no option. `takes_value`: whether an option is followed by its value.
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
    const bool program_starts =
        word == "--" || word == "-m" || word == "-c" || word.size() < 2 || word[0] != '-';
    if (program_starts) break;
    split.options.push_back(word);
    if (takes_value(word) && i + 1 < words.size()) split.options.push_back(words[++i]);
  }
  if (i < words.size() && words[i] == "--") ++i;
  split.program.assign(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  return split;
}

struct RunTarget {
  std::vector<std::string> command;
  bool is_python = false;
  std::string name;         // for the default file name: "train" of train.py, "pkg" of -m pkg
  Environment environment;  // for a Python program's collectors
  bool starts_collectors = false;
};

// A script (*.py, or a folder or zip with __main__), -m MODULE, -c CODE, or "python… …" is a Python
// program.
Result<RunTarget> choose_target(const std::vector<std::string>& program,
                                const PythonOptions& options);

}  // namespace laptime
