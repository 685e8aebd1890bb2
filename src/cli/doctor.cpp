#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "base/clock.h"
#include "base/humane.h"
#include "cli/command.h"
#include "cli/run/captured_output.h"
#include "cli/run/gpu_library.h"
#include "cli/run/python_start.h"
#include "show/json.h"
#include "show/terminal.h"
#include "tables/run/table.h"

namespace laptime {

namespace {

namespace fs = std::filesystem;

class Checkup {
 public:
  void ok(const char* check, std::string detail) { add(check, "ok", std::move(detail)); }
  void note(const char* check, std::string detail) { add(check, "note", std::move(detail)); }
  void problem(const char* check, std::string detail) { add(check, "problem", std::move(detail)); }
  const Table& table() const { return table_; }

 private:
  void add(const char* check, const char* state, std::string detail) {
    table_.rows.push_back({check, state, std::move(detail)});
  }
  Table table_{
      "doctor",
      "This machine",
      {{"check", ColumnType::text}, {"state", ColumnType::text}, {"detail", ColumnType::text}},
      {}};
};

double cost_of_clock_ns() {
  constexpr int kReads = 100'000;
  const std::uint64_t begin = monotonic_ns();
  for (int i = 0; i < kReads; ++i) (void)ticks();
  return static_cast<double>(monotonic_ns() - begin) / kReads;
}

void check_clock(Checkup& checkup) {
  const std::string cost = fmt::format("{} a reading", humane_time(cost_of_clock_ns()));
  if (tsc_is_invariant())
    checkup.ok("clock", "the processor's invariant time-stamp counter, " + cost);
  else
    checkup.note("clock", "no invariant time-stamp counter: the kernel's clock is used, " + cost);
}

void check_machine(Checkup& checkup) {
  utsname system{};
  ::uname(&system);
  checkup.ok("kernel", fmt::format("{} {} on {}", system.sysname, system.release, system.machine));
  checkup.ok("processors", fmt::format("{} usable", std::thread::hardware_concurrency()));
  const double pages =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  checkup.ok("memory", humane_bytes(pages));
}

void check_folder(Checkup& checkup, const char* check, const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (::access(folder.c_str(), W_OK) != 0)
    checkup.problem(check,
                    fmt::format("{} cannot be written: give `laptime run` another place with -o",
                                folder.string()));
  else if (error)
    checkup.ok(check, fmt::format("{} can be written", folder.string()));
  else
    checkup.ok(check, fmt::format("{} can be written, {} free", folder.string(),
                                  humane_bytes(static_cast<double>(space.available))));
}

std::string find_program(const std::vector<std::string>& names) {
  const char* path = std::getenv("PATH");
  std::string rest = path ? path : "";
  for (const std::string& name : names)
    for (std::size_t at = 0; at <= rest.size();) {
      const std::size_t end = std::min(rest.find(':', at), rest.size());
      const fs::path candidate = fs::path(rest.substr(at, end - at)) / name;
      if (end > at && ::access(candidate.c_str(), X_OK) == 0) return candidate.string();
      at = end + 1;
    }
  return "";
}

void check_compiler(Checkup& checkup) {
  const std::string compiler = find_program({"g++", "clang++", "c++"});
  if (compiler.empty())
    checkup.note("compiler",
                 "no C++ compiler in PATH; one is needed to build programs that use laptime.hpp");
  else
    checkup.ok("compiler", compiler);
}

void check_gpu(Checkup& checkup) {
  std::error_code ignored;
  std::string model;
  for (const auto& gpu : fs::directory_iterator("/proc/driver/nvidia/gpus", ignored)) {
    std::ifstream information(gpu.path() / "information");
    for (std::string line; std::getline(information, line);)
      if (line.rfind("Model:", 0) == 0) model = line.substr(line.find_first_not_of(" \t", 6));
  }
  if (model.empty()) model = "an NVIDIA driver is loaded";
  if (!has_gpu())
    checkup.note("gpu", "no NVIDIA GPU");
  else if (find_gpu_library().empty())
    checkup.problem("gpu", fmt::format("{}; {}", model, kNoGpuLibrary));
  else
    checkup.ok("gpu", model);
}

// Reads the output of the package's own check: "state<TAB>detail".
void check_torch(Checkup& checkup, bool build) {
  std::vector<std::string> command =
      module_command(default_interpreter(), "laptime.frameworks.torch.ops_doctor");
  if (build) command.push_back("--build");
  const CapturedOutput output =
      capture_output(command, {}, build ? HelperErrors::shown : HelperErrors::hidden);
  const std::string text = output.text.substr(0, output.text.find('\n'));
  const std::size_t tab = text.find('\t');
  if (tab == std::string::npos) return checkup.note("torch", "no Python with laptime was found");
  const std::string state = text.substr(0, tab), detail = text.substr(tab + 1);
  if (state == "ok")
    checkup.ok("torch", detail);
  else if (state == "note")
    checkup.note("torch", detail);
  else
    checkup.problem("torch", detail);
}

Result<int> doctor(bool json, bool build) {
  Checkup checkup;
  check_clock(checkup);
  check_machine(checkup);
  std::error_code ignored;
  check_folder(checkup, "current folder", fs::current_path(ignored));
  check_folder(checkup, "temporary folder", fs::temp_directory_path(ignored));
  check_compiler(checkup);
  check_gpu(checkup);
  check_torch(checkup, build);
  RETURN_IF_ERROR(print_result(json ? to_json({checkup.table()})
                                    : to_terminal({checkup.table()}, style_for(STDOUT_FILENO))));
  return 0;
}

}  // namespace

void add_doctor_command(CLI::App& app, Action& action) {
  auto json = std::make_shared<bool>(false), build = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("doctor", "Say what works on this machine");
  command->add_flag("--json", *json, "Print JSON");
  command->add_flag("--build", *build,
                    "Build and test the recorder of PyTorch's ops now, not on first use");
  command->footer("Examples:\n  laptime doctor\n  laptime doctor --build\n  laptime doctor --json");
  command->callback(
      [json, build, &action] { action = [json, build] { return doctor(*json, *build); }; });
}

}  // namespace laptime
