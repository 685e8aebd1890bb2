#include <cstdio>
#include <new>

#include <fmt/format.h>

#include "cli/command.h"

namespace laptime {

namespace {

int say_error(const std::string& message, ErrorKind kind) {
  std::string line = message;
  for (char& c : line)
    if (c == '\n') c = ' ';
  fmt::print(stderr, "laptime: {}\n", line);
  return static_cast<int>(kind);
}

std::string help_hint(const CLI::App& app) {
  std::string command = "laptime";
  for (const CLI::App* sub : app.get_subcommands()) command += " " + sub->get_name();
  return command + " --help";
}

int run_command_line(int argc, char** argv) {
  CLI::App app("Times every lap of a training program and says where each one goes.", "laptime");
  app.set_version_flag("--version", "laptime " LAPTIME_VERSION);
  app.require_subcommand(1);
  app.footer("Examples:\n  laptime run -- ./trainer --epochs 3\n  laptime report trainer.lap\n  laptime export trainer.lap --to chrome -o trainer.json");
  Action action;
  add_run_command(app, action);
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
    return say_error(fmt::format("{} (see {})", error.what(), help_hint(app)), ErrorKind::usage);
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
