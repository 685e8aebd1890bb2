#include <algorithm>
#include <cstdio>
#include <new>

#include <fmt/format.h>

#include "cli/command.h"
#include "show/screen_text.h"

namespace laptime {

namespace {

int say_error(const std::string& message, ErrorKind kind) {
  fmt::print(stderr, "laptime: {}\n", printable(message));
  return static_cast<int>(kind);
}

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  std::string command = "laptime";
  for (const CLI::App* sub : app.get_subcommands()) command += " " + sub->get_name();
  const std::vector<std::string> unknown = app.remaining();
  const bool no_command = app.get_subcommands().empty() && !unknown.empty();
  std::string problem = no_command ? fmt::format("there is no command '{}'", unknown.front()) : error.what();
  std::replace(problem.begin(), problem.end(), '\n', ' ');
  return fmt::format("{} (see {} --help)", problem, command);
}

// What stands after "--" on the command line of `run` is another program's, and no parser of ours may look at it.
std::vector<std::string> split_off_program(int& argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "run") return {};
  const auto dashes = std::find_if(argv + 2, argv + argc, [](const char* word) { return std::string_view(word) == "--"; });
  const std::vector<std::string> program(dashes, argv + argc);
  argc = static_cast<int>(dashes - argv);
  return program;
}

int run_command_line(int argc, char** argv) {
  CLI::App app("Times every lap of a training program and says where each one goes.", "laptime");
  app.set_version_flag("--version", "laptime " LAPTIME_VERSION);
  app.require_subcommand(1);
  app.footer("Examples:\n  laptime run -- ./trainer --epochs 3\n  laptime report trainer.lap\n  laptime export trainer.lap --to chrome -o trainer.json");
  Action action;
  add_run_command(app, action, split_off_program(argc, argv));
  add_report_command(app, action);
  add_import_command(app, action);
  add_export_command(app, action);
  add_doctor_command(app, action);
  add_completion_command(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wish) {  // --help, --version
    return app.exit(wish);
  } catch (const CLI::ParseError& error) {
    return say_error(explain(app, error), ErrorKind::usage);
  }
  const Result<int> code = action();
  return code ? *code : say_error(code.error().message, code.error().kind);
}

}  // namespace

}  // namespace laptime

int main(int argc, char** argv) {
  try {
    return laptime::run_command_line(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("laptime: out of memory\n", stderr);
    return static_cast<int>(laptime::ErrorKind::system);
  }
}
