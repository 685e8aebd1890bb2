#include "cli/run/python_start.h"

#include <fmt/format.h>
#include <unistd.h>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string_view>

#include "base/utf8.h"
#include "cli/run/captured_output.h"

namespace laptime {

namespace fs = std::filesystem;

namespace {

constexpr double kUsualBudget = 0.05;
constexpr int kNotStarted = 127;

// Runs with -S and without PYTHONPATH, which is the first argument. Prints the site folder between
// NULs, because a .pth file may print too.
constexpr const char* kFindSiteFolder = R"(
import sys
del sys.path[0]
sys.modules["sitecustomize"] = sys.modules["usercustomize"] = sys
import site
site.main()
import os
from importlib.util import find_spec
given = [os.path.normpath(entry) for entry in sys.argv[1].split(os.pathsep) if os.path.isabs(entry)]
sys.path += [entry for entry in given if entry != os.getcwd()]
spec = find_spec("laptime")
for location in spec and spec.submodule_search_locations or ():
    folder = os.path.join(os.path.abspath(location), "_site")
    if os.path.exists(os.path.join(folder, "sitecustomize.py")):
        sys.stdout.flush()
        os.write(1, b"\0" + os.fsencode(folder) + b"\0")
        sys.exit(0)
sys.exit(1)
)";

// The first argument is the module. site has imported os and made the entries of PYTHONPATH
// absolute.
constexpr const char* kRunModule = R"(
import os, sys
if not getattr(sys.flags, "safe_path", False):
    del sys.path[0]
given = os.environ.get("PYTHONPATH")
last = {os.path.abspath(entry) for entry in given.split(os.pathsep)} if given else set()
sys.path = [entry for entry in sys.path if entry not in last or entry != os.getcwd()]
sys.path.sort(key=lambda entry: entry in last)
del sys.argv[0]
import runpy
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
)";

bool is_executable(const fs::path& path) {
  return ::access(path.c_str(), X_OK) == 0 && !fs::is_directory(path);
}

const char* text_of(bool value) { return value ? "true" : "false"; }

// Bytes that are not UTF-8 are written as Python's surrogateescape has them.
void append_argument(std::string& out, std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = first_code_point(text.substr(i));
    if (!point.valid) {
      out += fmt::format("\\udc{:02x}", static_cast<unsigned char>(text[i]));
    } else {
      std::string quoted;
      append_json_string(quoted, text.substr(i, point.length));
      out.append(quoted, 1, quoted.size() - 2);
    }
    i += point.length;
  }
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    out += out.size() > 1 ? ", \"" : "\"";
    append_argument(out, text);
    out += '"';
  }
  return out + "]";
}

// "5%" is 0.05. Negative: not a share.
double share_of(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  double percent = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  return error == std::errc() && end == text.data() + text.size() ? percent / 100 : -1;
}

std::string budget_json(const std::string& text) {
  if (text == "none") return "null";
  return fmt::format("{}", text.empty() ? kUsualBudget : share_of(text));
}

const std::regex& range_of_steps() {
  static const std::regex form(R"((\d{1,9}):(\d{1,9})(,|$))");
  return form;
}

std::string steps_json(const std::string& text) {
  if (text.empty()) return "null";
  std::string out = "[";
  for (std::sregex_iterator at(text.begin(), text.end(), range_of_steps()), end; at != end; ++at)
    out += fmt::format("{}[{}, {}]", out.size() > 1 ? ", " : "", std::stoi((*at)[1]),
                       std::stoi((*at)[2]));
  return out + "]";
}

std::string options_json(const PythonOptions& options) {
  const auto& torch = options.torch;
  return fmt::format(
      R"({{"lines": {}, "functions": {}, "budget": {}, "include": {}, "exclude": {}, )"
      R"("source": {}, "replace_profilers": {}, "torch": {{"ops": {}, "shapes": {}, "memory": {}, "gpu": {}, )"
      R"("steps": {}, "block": false, "replace_profiler": {}}}}})",
      text_of(options.lines), text_of(options.functions), budget_json(options.budget),
      list_of(options.include), list_of(options.exclude), text_of(options.source),
      text_of(options.replace_profilers), text_of(torch.ops), text_of(torch.shapes),
      text_of(torch.memory), text_of(options.gpu), steps_json(torch.steps),
      text_of(torch.replace_profiler || options.replace_profilers));
}

// The user's entries are not changed: an empty one is the reader's current folder.
std::string path_with(const std::string& site_folder, std::string_view users) {
  std::string path = site_folder;
  while (!users.empty()) {
    const std::size_t end = users.find(':');
    const std::string_view entry = users.substr(0, end);
    if (entry != site_folder)
      path.append(":").append(entry);  // from a `laptime run` around this one
    if (end == std::string_view::npos) break;
    users.remove_prefix(end + 1);
    if (users.empty()) path += ':';
  }
  return path;
}

}  // namespace

std::string problem_of_budget(const std::string& text) {
  const double share = share_of(text);
  if (text == "none" || (share > 0 && share < 1)) return "";
  return fmt::format("a budget is a share of time between 0% and 100%, e.g. 5%, or none, not {}",
                     text);
}

std::string problem_of_steps(const std::string& text) {
  auto at = text.cbegin();
  for (std::smatch found; std::regex_search(at, text.cend(), found, range_of_steps(),
                                            std::regex_constants::match_continuous);
       at = found[0].second) {
    if (std::stoi(found[1]) >= std::stoi(found[2])) break;
    if (found[0].second == text.cend() && !found[3].length()) return "";
  }
  return fmt::format("steps are given as 10:20 (10 to 19, counted from 0) or 10:20,100:110, not {}",
                     text);
}

// The active environment's, else that of the environment with this laptime, else the first in PATH.
std::string default_interpreter() {
  if (const char* active = std::getenv("VIRTUAL_ENV"))
    if (const fs::path python = fs::path(active) / "bin" / "python"; is_executable(python))
      return python.string();
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  for (const char* name : {"python", "python3"})
    if (const fs::path python = self.parent_path() / name; !error && is_executable(python))
      return python.string();
  return "python3";
}

// Isolated: since 3.13 the interpreter imports linecache for -c, and the current folder may contain
// one.
Result<std::string> find_site_folder(const std::string& python) {
  const char* const path = std::getenv("PYTHONPATH");
  const CapturedOutput found =
      capture_output({python, "-I", "-S", "-c", kFindSiteFolder, path ? path : ""},
                     {"PYTHONPATH", "PYTHONSAFEPATH", "PYTHONINSPECT"}, HelperErrors::shown);
  if (found.exit_code == kNotStarted)
    return fail(ErrorKind::usage, fmt::format("cannot start the Python interpreter {}", python));
  const std::size_t begin = found.text.find('\0'), end = found.text.rfind('\0');
  if (found.exit_code == 0 && begin < end && end != std::string::npos)
    return found.text.substr(begin + 1, end - begin - 1);
  return fail(ErrorKind::usage, fmt::format("{0} does not have laptime: install it there ({0} -m "
                                            "pip install laptime), or name another interpreter: "
                                            "laptime run -- /path/to/python …",
                                            python));
}

Environment python_environment(const std::string& site_folder, const PythonOptions& options) {
  const char* const users = std::getenv("PYTHONPATH");
  return {{"LAPTIME_PYTHON", options_json(options)},
          {"PYTHONPATH", path_with(site_folder, users ? users : "")}};
}

std::vector<std::string> module_command(const std::string& python, const std::string& module) {
  return {python, "-c", kRunModule, module};
}

}  // namespace laptime
