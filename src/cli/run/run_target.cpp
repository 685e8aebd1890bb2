#include "cli/run/run_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/os/file.h"
#include "cli/standard_streams.h"

namespace laptime {

namespace fs = std::filesystem;

namespace {

// "python", "python3", "python3.12", in any folder.
bool is_interpreter(const std::string& word) {
  const std::string name = fs::path(word).filename().string();
  if (!name.starts_with("python")) return false;
  return std::all_of(name.begin() + 6, name.end(),
                     [](unsigned char c) { return std::isdigit(c) || c == '.'; });
}

bool is_script(const std::string& word) {
  std::error_code ignored;
  return fs::path(word).extension() == ".py" || fs::exists(fs::path(word) / "__main__.py", ignored);
}

// The end of the interpreter's own options (-u, -O, -X dev …), and their effect on the start of the
// collectors.
struct InterpreterOptions {
  std::size_t count = 0;
  bool has_module_or_code = false;  // -m or -c is the last option, alone or as in -um
  // -I, -E or -S: the interpreter imports no sitecustomize from PYTHONPATH.
  bool skips_collectors = false;
  bool keeps_path = false;  // -S: the entries of PYTHONPATH stay on the program's sys.path
};

InterpreterOptions read_options(const std::vector<std::string>& words) {
  InterpreterOptions options;
  for (std::size_t i = 0; i < words.size() && !options.has_module_or_code; i = options.count) {
    const std::string& word = words[i];
    if (word.size() < 2 || word[0] != '-') break;
    options.count = i + 1;
    if (word == "--") break;
    if (word == "--check-hash-based-pycs") ++options.count;
    if (word[1] == '-') continue;
    const std::size_t last = std::min(word.find_first_of("WXmc", 1), word.size() - 1);
    const char kind = word[last];
    options.skips_collectors |= word.find_first_of("IES", 1) <= last;
    options.keeps_path |= word.find('S', 1) <= last;
    options.has_module_or_code = kind == 'm' || kind == 'c';
    if (kind == 'm' || kind == 'c') options.count = i;
    if ((kind == 'W' || kind == 'X') && last + 1 == word.size()) ++options.count;
  }
  options.count = std::min(options.count, words.size());
  return options;
}

// "train" of train.py, "pkg" of -m pkg, -mpkg and -um pkg.
std::string program_name(const std::vector<std::string>& program, bool has_module_or_code) {
  if (has_module_or_code) {
    const std::size_t kind = program[0].find_first_of("mc", 1);
    if (program[0][kind] == 'c') return "python";
    if (kind + 1 < program[0].size()) return program[0].substr(kind + 1);
    return program.size() > 1 && !program[1].empty() ? program[1] : "python";
  }
  const fs::path path = fs::path(program[0]).lexically_normal();
  const std::string stem = (path.has_filename() ? path : path.parent_path()).stem().string();
  return stem.empty() || program[0] == "-" ? "python" : stem;
}

Status check_script(const std::string& script) {
  std::error_code ignored;
  if (script == "-" || fs::is_directory(script, ignored)) return {};
  const UniqueFd file(::open(script.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file)
    return fail(ErrorKind::usage, fmt::format("cannot open {}: {}", script, std::strerror(errno)));
  return {};
}

// `words`: those after the interpreter.
Result<RunTarget> python_target(const std::string& python, std::vector<std::string> words,
                                const PythonOptions& options) {
  const InterpreterOptions flags = read_options(words);
  std::vector<std::string> command{python};
  command.insert(command.end(), words.begin(), words.end());
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(flags.count));
  if (words.empty())
    return RunTarget{command, false, "python", {}, false};  // python --version and the like
  ASSIGN_OR_RETURN(const std::string site_folder, find_site_folder(python));
  if (!flags.has_module_or_code) RETURN_IF_ERROR(check_script(words[0]));
  if (flags.skips_collectors)
    print_note(
        "laptime: this program is not measured: an interpreter with -I, -E or -S starts no "
        "collectors");
  return RunTarget{command, true, program_name(words, flags.has_module_or_code),
                   flags.keeps_path ? Environment{} : python_environment(site_folder, options),
                   !flags.skips_collectors};
}

}  // namespace

Result<RunTarget> choose_target(const std::vector<std::string>& program,
                                const PythonOptions& options) {
  if (program.empty() || program[0].empty())
    return fail(ErrorKind::usage,
                "run needs a program: laptime run train.py, laptime run -m package, or laptime run "
                "-- ./trainer");
  if (is_interpreter(program[0]) && program.size() > 1)
    return python_target(program[0], {program.begin() + 1, program.end()}, options);
  if (program[0] == "-m" || program[0] == "-c" || is_script(program[0]))
    return python_target(default_interpreter(), program, options);
  return RunTarget{program, false, fs::path(program[0]).filename().string(), {}, false};
}

}  // namespace laptime
