#include <fmt/format.h>
#include <unistd.h>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/os/file_sink.h"
#include "base/os/nsight.h"
#include "base/os/output_path.h"
#include "cli/command.h"
#include "cli/progress_line.h"
#include "cli/run/child.h"
#include "cli/run/first_screen.h"
#include "cli/run/gpu_library.h"
#include "cli/run/live_screen.h"
#include "cli/run/python_start.h"
#include "cli/run/run_folder.h"
#include "cli/run/run_target.h"
#include "cli/standard_streams.h"
#include "show/terminal.h"
#include "tables/run/run_facts.h"
#include "trace/analysis.h"

namespace laptime {

namespace {

// The exit codes of shells for a command that cannot be started.
constexpr int kNotExecutable = 126, kNotFound = 127;
// The CUDA driver, and a program's first NVTX call, load the libraries named here.
constexpr const char* kInjections[] = {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"};

struct RunOptions {
  std::string file;
  std::uint64_t memory_limit = 0;
  mode_t mode = FileSink::kPrivate;
  bool quiet = false;
  bool live = false;
  bool full = false;
  bool lines_requested = false;  // what is done anyway
  PythonOptions python;
};

// NVIDIA's profiler that the program runs under, or is. Null: none.
const char* nsight_of(const RunTarget& target) {
  if (const char* around = nsight_around()) return around;
  const std::string program = std::filesystem::path(target.command[0]).filename();
  return program == "ncu" ? "Nsight Compute" : program == "nsys" ? "Nsight Systems" : nullptr;
}

Environment environment_for(const RunOptions& options, const RunFolder& folder,
                            const RunTarget& target) {
  Environment added = target.environment;
  added.emplace_back("LAPTIME_RECORD", folder.folder());
  if (options.memory_limit > 0)
    added.emplace_back("LAPTIME_MEMORY_LIMIT", std::to_string(options.memory_limit));
  if (!options.python.gpu) return added;
  const std::string library = find_gpu_library();
  if (library.empty()) {
    if (has_gpu())
      print_note(fmt::format(
          "laptime: GPU is {}: {}",
          target.is_python ? "recorded in PyTorch programs only" : "not recorded", kNoGpuLibrary));
    return added;
  }
  if (const char* nsight = nsight_of(target)) {
    if (!target.is_python)
      print_note(fmt::format("laptime: GPU is not recorded: it is left to {}",
                             nsight));  // for Python the package reports it
  } else {
    for (const char* injection : kInjections)
      if (!std::getenv(injection))
        added.emplace_back(injection, library);  // another tool's value is kept
  }
  return added;
}

void print_summary(const std::string& file) {
  std::string screen;
  {
    const ProgressLine progress("laptime: making the summary…");
    const auto run = load_run(file);
    if (!run) {
      print_note(fmt::format("laptime: {}", run.error().message));
      return;
    }
    TerminalStyle style = style_for(STDERR_FILENO);
    style.directory = run_directory(*run);
    screen = first_screen(Analysis(*run), file, style);
  }
  to_stderr(screen);
}

int say_not_started(const std::string& program, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  print_note(fmt::format("laptime: cannot run {}: {}", program,
                         missing ? "command not found" : std::strerror(error)));
  return missing ? kNotFound : kNotExecutable;
}

// The program has ended, and the caller waits for this command's end. So a failure here prints one
// line and changes nothing.
void keep_and_show(const RunOptions& options, const std::vector<std::string>& program,
                   const RunTarget& target, const ChildEnd& end,
                   const std::optional<MachineLoad>& machine, std::vector<Fact> clock,
                   RunFolder& folder) {
  try {
    if (const Status sealed = folder.seal(
            {program, end, target.starts_collectors, options.mode, machine}, std::move(clock));
        !sealed)
      print_note(fmt::format("laptime: {}; what was recorded is in {}", sealed.error().message,
                             folder.folder()));
    else if (end_as_on_signals(end) && !options.quiet &&
             resolve_output(folder.file()).is_replaceable)
      print_summary(folder.file());
  } catch (const std::exception& error) {
    print_note(fmt::format("laptime: no summary: {}", error.what()));
  }
}

Result<int> run_program(const RunOptions& options, const std::vector<std::string>& program) {
  ASSIGN_OR_RETURN(const RunTarget target, choose_target(program, options.python));
  const std::vector<std::string>& command = target.command;
  ASSIGN_OR_RETURN(RunFolder folder,
                   RunFolder::prepare(options.file.empty() ? target.name + ".lap" : options.file));
  const ClockFact begin = clock_now();
  const auto load_before = read_machine_load();
  auto live = options.live ? LiveScreen::start(folder.folder(), folder.file()) : nullptr;
  ASSIGN_OR_RETURN(const ChildEnd end,
                   run_child(command, environment_for(options, folder, target)));
  live.reset();
  const ClockFact finish = clock_now();
  const auto machine = load_since(load_before);
  if (end.start_error != 0) {
    folder.remove();
    return say_not_started(command[0], end.start_error);
  }
  keep_and_show(options, program, target, end, machine, {begin, finish}, folder);
  end_as(end);
}

void add_python_options(CLI::App& command, RunOptions& options) {
  auto* lines = command.add_flag("-l,--lines", options.lines_requested,
                                 "Python: time the program's own code by line (the default)");
  command
      .add_flag_callback(
          "--no-lines", [&options] { options.python.lines = false; }, "Python: do not time lines")
      ->excludes(lines);
  command.add_flag("-f,--functions", options.python.functions,
                   "Python: time calls of functions, as cProfile does");
  auto* budget =
      command
          .add_option(
              "--budget", options.python.budget,
              "Python: the share of time that recording may add, e.g. 5% (the default), or none")
          ->type_name("PCT")
          ->check(&problem_of_budget);
  command.add_flag("--full", options.full, "Python: the same as --budget none")->excludes(budget);
  command
      .add_option("--include", options.python.include,
                  "Python: files that count as the program's own, e.g. '*/mylib/*'")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command.add_flag_callback(
      "--no-source", [&options] { options.python.source = false; },
      "Python: do not store the text of the program's files in the run");
  command
      .add_option("--exclude", options.python.exclude,
                  "Python: files that are not the program's own")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command.add_flag("--replace-profilers", options.python.replace_profilers,
                   "Python: a program that uses the profiler of TensorFlow, Keras, JAX or PyTorch "
                   "gets laptime's instead");
}

void add_torch_options(CLI::App& command, RunOptions& options) {
  auto& torch = options.python.torch;
  command.add_flag_callback(
      "--no-ops", [&torch] { torch.ops = false; },
      "PyTorch, TensorFlow, JAX: do not record ops; steps and input waits are still recorded");
  command
      .add_option("--steps", torch.steps,
                  "The same: record ops in these steps only, e.g. 10:20 (10 to 19, counted from 0) "
                  "or 10:20,100:110")
      ->type_name("A:B")
      ->check(&problem_of_steps);
  command.add_flag("--shapes", torch.shapes, "PyTorch: record the shapes of ops' inputs");
  command.add_flag("--memory", torch.memory, "PyTorch: record allocations");
  command.add_flag("--replace-torch-profiler", torch.replace_profiler,
                   "PyTorch: a program that uses torch.profiler gets laptime's instead");
}

}  // namespace

CLI::App& add_run_command(CLI::App& app, Action& action, const std::vector<std::string>& program) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Run a program and record it");
  command
      ->add_option("-o,--output", options->file,
                   "The file to write. Default: the program's name with .lap")
      ->type_name("FILE");
  add_mode_option(*command, options->mode);
  command->add_flag("-q,--quiet", options->quiet, "Print no summary at the end");
  command->add_flag("--live", options->live,
                    "Show the summary in the last lines of the terminal while the program runs");
  command
      ->add_option("--memory-limit", options->memory_limit,
                   "The memory limit for records in each process, e.g. 64MB")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->type_name("SIZE");
  command->add_flag_callback(
      "--no-gpu", [options] { options->python.gpu = false; },
      "Do not record NVIDIA GPUs (docs/gpu.md)");
  add_python_options(*command, *options);
  add_torch_options(*command, *options);
  command->footer(
      "After the options: SCRIPT.py, -m MODULE, -c CODE, or -- COMMAND, and its arguments. The "
      "exit code is the program's own.\n\n"
      "Examples:\n  laptime run train.py --epochs 3\n  laptime run -f --full -m package.train\n"
      "  laptime run --steps 100:120 --shapes --memory train.py\n"
      "  laptime run -- python3.12 train.py\n  laptime run -o baseline.lap --memory-limit 64MB -- "
      "./trainer");
  command->callback([options, &program, &action] {
    if (options->full) options->python.budget = "none";
    action = [options, &program] { return run_program(*options, program); };
  });
  return *command;
}

}  // namespace laptime
