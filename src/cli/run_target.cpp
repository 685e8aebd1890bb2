#include "cli/run_target.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

namespace laptime {

namespace fs = std::filesystem;

namespace {

bool is_executable(const fs::path& path) { return ::access(path.c_str(), X_OK) == 0 && !fs::is_directory(path); }

// "python", "python3", "python3.12", in any folder.
bool is_interpreter(const std::string& word) {
  const std::string name = fs::path(word).filename().string();
  if (!name.starts_with("python")) return false;
  return std::all_of(name.begin() + 6, name.end(), [](unsigned char c) { return std::isdigit(c) || c == '.'; });
}

bool is_script(const std::string& word) {
  std::error_code ignored;
  return fs::path(word).extension() == ".py" || fs::exists(fs::path(word) / "__main__.py", ignored);
}

// Whether the interpreter starts and finds laptime; asked before the program so that the answer is one line.
Status check_interpreter(const std::string& python) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execlp(python.c_str(), python.c_str(), "-c", "import importlib.util, sys; sys.exit(importlib.util.find_spec('laptime') is None)", nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return fail(ErrorKind::usage, fmt::format("cannot start the Python interpreter {}", python));
  return fail(ErrorKind::usage, fmt::format("{0} does not have laptime: install it there ({0} -m pip install laptime), or name another interpreter: "
                                            "laptime run -- /path/to/python …", python));
}

// Takes the interpreter's own flags (-u, -O, -X dev …) off the front.
std::vector<std::string> take_flags(std::vector<std::string>& words) {
  std::size_t n = 0;
  while (n < words.size() && words[n].size() > 1 && words[n][0] == '-' && words[n] != "-m" && words[n] != "-c")
    n += words[n] == "-X" || words[n] == "-W" ? 2 : 1;
  n = std::min(n, words.size());
  const std::vector<std::string> flags(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n));
  words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n));
  return flags;
}

void add_torch_options(const PythonOptions& options, std::vector<std::string>& command) {
  if (!options.gpu) command.push_back("--no-gpu");
  if (!options.torch.ops) command.push_back("--no-ops");
  if (options.torch.shapes) command.push_back("--shapes");
  if (options.torch.memory) command.push_back("--memory");
  if (!options.torch.steps.empty()) command.insert(command.end(), {"--steps", options.torch.steps});
  if (options.torch.replace_profiler) command.push_back("--replace-torch-profiler");
}

std::vector<std::string> python_command(const std::string& python, const std::vector<std::string>& flags, const PythonOptions& options,
                                        const std::vector<std::string>& program) {
  std::vector<std::string> command{python, "-m", "laptime._run"};
  for (const std::string& flag : flags) command.push_back("--flag=" + flag);
  if (!options.lines) command.push_back("--no-lines");
  if (options.functions) command.push_back("--functions");
  if (!options.budget.empty()) command.insert(command.end(), {"--budget", options.budget});
  if (!options.source) command.push_back("--no-source");
  for (const std::string& glob : options.include) command.insert(command.end(), {"--include", glob});
  for (const std::string& glob : options.exclude) command.insert(command.end(), {"--exclude", glob});
  add_torch_options(options, command);
  command.insert(command.end(), program.begin(), program.end());
  return command;
}

std::string program_name(const std::vector<std::string>& program) {
  if (program[0] == "-c") return "python";
  if (program[0] == "-m") return program.size() > 1 ? program[1] : "python";
  const fs::path path = fs::path(program[0]).lexically_normal();
  const std::string stem = (path.has_filename() ? path : path.parent_path()).stem().string();
  return stem.empty() ? "python" : stem;
}

}  // namespace

// The environment that is active, else the one that laptime is installed in, else the first in PATH.
std::string default_interpreter() {
  if (const char* active = std::getenv("VIRTUAL_ENV"))
    if (const fs::path python = fs::path(active) / "bin" / "python"; is_executable(python)) return python.string();
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  for (const char* name : {"python", "python3"})
    if (const fs::path python = self.parent_path() / name; !error && is_executable(python)) return python.string();
  return "python3";
}

Result<RunTarget> choose_target(const std::vector<std::string>& program, const PythonOptions& options) {
  if (program.empty() || program[0].empty())
    return fail(ErrorKind::usage, "run needs a program: laptime run train.py, laptime run -m package, or laptime run -- ./trainer");
  std::string python;
  std::vector<std::string> rest = program, flags;
  if (is_interpreter(program[0]) && program.size() > 1) {
    python = program[0];
    rest.erase(rest.begin());
    flags = take_flags(rest);
    if (rest.empty()) return RunTarget{program, false, "python"};  // python --version and the like
  } else if (program[0] == "-m" || program[0] == "-c" || is_script(program[0])) {
    python = default_interpreter();
  } else {
    return RunTarget{program, false, fs::path(program[0]).filename().string()};
  }
  RETURN_IF_ERROR(check_interpreter(python));
  return RunTarget{python_command(python, flags, options, rest), true, program_name(rest)};
}

}  // namespace laptime
