#include <fmt/format.h>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/run/child.h"
#include "cli/run/python_start.h"

namespace laptime {

namespace {

// The Python package (laptime._tune) makes and measures the trials. It starts this command for
// them.
struct TuneOptions {
  std::string time, steps, tolerance;
  std::vector<std::string> only;
  std::string max_memory;
  bool apply = false, json = false;
};

std::vector<std::string> python_command(const TuneOptions& options,
                                        const std::vector<std::string>& program) {
  std::vector<std::string> command = module_command(default_interpreter(), "laptime._tune");
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) command.insert(command.end(), {name, value});
  };
  add("--time", options.time);
  add("--steps", options.steps);
  add("--loss-tolerance", options.tolerance);
  for (const std::string& change : options.only) add("--only", change);
  if (options.apply) command.push_back("--apply");
  if (options.json) command.push_back("--json");
  command.insert(command.end(), program.begin(), program.end());
  return command;
}

Result<int> tune(const TuneOptions& options, const std::vector<std::string>& program) {
  if (program.empty())
    return fail(ErrorKind::usage, "tune needs a Python script: laptime tune train.py");
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::vector<std::string> command = python_command(options, program);
  Environment added{{"LAPTIME_CLI", error ? "laptime" : self.string()}};
  if (!options.max_memory.empty()) added.emplace_back("LAPTIME_MAX_MEMORY", options.max_memory);
  ASSIGN_OR_RETURN(const ChildEnd end, run_child(command, added));
  if (end.start_error != 0)
    return fail(ErrorKind::usage, fmt::format("cannot start the Python interpreter {}: {}",
                                              command[0], std::strerror(end.start_error)));
  end_as(end);
}

}  // namespace

CLI::App& add_tune_command(CLI::App& app, Action& action, const std::vector<std::string>& program) {
  auto options = std::make_shared<TuneOptions>();
  CLI::App* command = app.add_subcommand("tune",
                                         "Try changes that need no edit of a PyTorch program, "
                                         "measure them, and print the useful ones as a patch");
  command
      ->add_option("--time", options->time,
                   "The time limit for all trials, e.g. 90s or 10m. Default: 5m")
      ->type_name("T");
  command->add_option("--steps", options->steps, "Steps of each trial. Default: 80")
      ->type_name("N");
  command
      ->add_option("--only", options->only,
                   "Try only these, e.g. workers or threads=1; may be repeated")
      ->type_name("CHANGE")
      ->allow_extra_args(false);
  command
      ->add_option("--loss-tolerance", options->tolerance,
                   "How far the loss curve may move, e.g. 5% (the default)")
      ->type_name("PCT");
  command
      ->add_option("--max-memory", options->max_memory,
                   "As in laptime report, for the runs of the trials")
      ->check(CLI::AsSizeValue(false))
      ->type_name("SIZE");
  command->add_flag("--apply", options->apply, "Write the patch into the script");
  command->add_flag("--json", options->json, "Print the table of trials as JSON");
  command->footer(
      "After the options: SCRIPT.py and its arguments. Changes: workers, persistent_workers, "
      "prefetch, pin_memory, non_blocking, optimizer,\n"
      "threads, tf32, cudnn_benchmark, channels_last, autocast, compile. Each is tried in a new "
      "short run, alone, then with the other useful\n"
      "ones. A change that moves the loss curve is left out (docs/tune.md).\n\n"
      "Examples:\n  laptime tune train.py --epochs 3\n  laptime tune --time 10m --only workers "
      "--only threads train.py\n  laptime tune --apply train.py");
  command->callback([options, &program, &action] {
    action = [options, &program] { return tune(*options, program); };
  });
  return *command;
}

}  // namespace laptime
