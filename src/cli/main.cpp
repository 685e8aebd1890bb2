#include <algorithm>
#include <exception>
#include <new>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/run/run_target.h"
#include "cli/standard_streams.h"

namespace laptime {

namespace {

int say_error(const std::string& message, ErrorKind kind) {
  print_note("laptime: " + message);
  return static_cast<int>(kind);
}

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  std::string command = "laptime";
  for (const CLI::App* sub : app.get_subcommands()) command += " " + sub->get_name();
  const std::vector<std::string> unknown = app.remaining();
  const bool no_command = app.get_subcommands().empty() && !unknown.empty();
  std::string problem =
      no_command ? fmt::format("there is no command '{}'", unknown.front()) : error.what();
  std::replace(problem.begin(), problem.end(), '\n', ' ');
  return fmt::format("{} (see {} --help)", problem, command);
}

// Removes the program of `command` and its arguments from the command line: no parser may interpret
// them.
void split_off_program(const CLI::App& command, int& argc, char** argv,
                       std::vector<std::string>& program) {
  if (argc < 2 || argv[1] != command.get_name()) return;
  const RunWords words = split_run_words({argv + 2, argv + argc}, [&](const std::string& word) {
    const CLI::Option* option = command.get_option_no_throw(word);
    return option != nullptr && option->get_items_expected_min() > 0;
  });
  program = words.program;
  argc = 2 + static_cast<int>(words.options.size());
}

int run_command_line(int argc, char** argv) {
  CLI::App app("Times every lap of a training program and says where each one goes.", "laptime");
  app.set_version_flag("--version", "laptime " LAPTIME_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Examples:\n  laptime run train.py --epochs 3\n  laptime run -- ./trainer\n  laptime report "
      "train.lap\n  laptime export train.lap --to chrome -o train.json");
  Action action;
  std::vector<std::string> program;
  const CLI::App* const starters[] = {&add_run_command(app, action, program),
                                      &add_tune_command(app, action, program)};
  add_report_command(app, action);
  add_import_command(app, action);
  add_export_command(app, action);
  add_compare_command(app, action);
  add_rules_command(app, action);
  add_whatif_command(app, action);
  add_doctor_command(app, action);
  add_completion_command(app, action);
  for (const CLI::App* command : starters) split_off_program(*command, argc, argv, program);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return say_error(explain(app, error), ErrorKind::usage);
  }
  const Result<int> code = action();
  return code ? *code : say_error(code.error().message, code.error().kind);
}

}  // namespace

}  // namespace laptime

int main(int argc, char** argv) {
  laptime::keep_closed_streams_closed();
  try {
    return laptime::run_command_line(argc, argv);
  } catch (const std::bad_alloc&) {
    laptime::to_stderr(
        "laptime: out of memory: this takes more than is available here, or than --max-memory "
        "allows\n");
  } catch (
      const std::exception& error) {  // of the standard library, when the system refuses something
    laptime::print_note(std::string("laptime: cannot go on: ") + error.what());
  }
  return static_cast<int>(laptime::ErrorKind::system);
}
