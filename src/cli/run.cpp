#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

#include "analyze/losses.h"
#include "analyze/run_facts.h"
#include "analyze/scopes.h"
#include "analyze/steps.h"
#include "cli/child.h"
#include "cli/command.h"
#include "cli/run_folder.h"
#include "show/humane.h"
#include "show/terminal.h"

namespace laptime {

namespace {

constexpr std::size_t kSummaryScopes = 5;
// What shells return for a command that they cannot start.
constexpr int kNotExecutable = 126, kNotFound = 127;

struct RunOptions {
  std::string file;
  std::uint64_t memory_limit = 0;
  bool quiet = false;
  std::vector<std::string> command;
};

std::string default_file(const std::string& program) { return std::filesystem::path(program).filename().string() + ".lap"; }

// The command begins with the first word that is no option of ours, or after "--".
Result<std::vector<std::string>> command_of(std::vector<std::string> words) {
  if (!words.empty() && words.front() == "--")
    words.erase(words.begin());
  else if (!words.empty() && words.front().starts_with("-"))
    return fail(ErrorKind::usage, fmt::format("run has no option {} (see laptime run --help)", words.front()));
  if (words.empty() || words.front().empty()) return fail(ErrorKind::usage, "run needs a command: laptime run -- ./trainer");
  return words;
}

Environment environment_for(const RunOptions& options, const RunFolder& folder) {
  Environment added{{"LAPTIME_RECORD", folder.folder()}};
  if (options.memory_limit > 0) added.emplace_back("LAPTIME_MEMORY_LIMIT", std::to_string(options.memory_limit));
  return added;
}

std::string closing_line(const Run& run, const std::string& file) {
  std::string line = fmt::format("{}: {}, {} spans", file, humane_bytes(static_cast<double>(run.file_bytes)), humane_count(static_cast<std::int64_t>(run.span_count())));
  const auto cost = own_cost_ns(run);
  if (cost && run.end_ns > 0)
    line += fmt::format("; recording cost {} ({:.2f} % of the run)", humane_time(*cost), 100 * *cost / static_cast<double>(run.end_ns));
  return line + fmt::format("\nnext: laptime report {}\n", file);
}

void print_summary(const std::string& file) {
  const auto run = load_run(file);
  if (!run) {
    fmt::print(stderr, "laptime: {}\n", run.error().message);
    return;
  }
  std::vector<Table> tables{step_summary_table(*run), scopes_table(*run), losses_table(*run)};
  keep_top(tables[1], kSummaryScopes);
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  std::string text = "\n" + to_terminal(tables, style_for(STDERR_FILENO));
  if (!tables.empty()) text += "\n";
  if (run->processes.empty()) text += "The program recorded nothing: link it with liblaptime and mark scopes and steps (laptime.hpp).\n";
  fmt::print(stderr, "{}{}", text, closing_line(*run, file));
}

int say_not_started(const std::string& program, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  fmt::print(stderr, "laptime: cannot run {}: {}\n", program, missing ? "command not found" : std::strerror(error));
  return missing ? kNotFound : kNotExecutable;
}

Result<int> run_program(const RunOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<std::string> command, command_of(options.command));
  ASSIGN_OR_RETURN(RunFolder folder, RunFolder::prepare(options.file.empty() ? default_file(command[0]) : options.file));
  const ClockFact begin = clock_now();
  ASSIGN_OR_RETURN(const ChildEnd end, run_child(command, environment_for(options, folder)));
  const ClockFact finish = clock_now();
  if (end.start_error != 0) {
    folder.remove();
    return say_not_started(command[0], end.start_error);
  }
  // The program has ended, and its end is what the caller waits for: a failure here is told and changes nothing.
  if (const Status sealed = folder.seal(command, end, {begin, finish}); !sealed)
    fmt::print(stderr, "laptime: {}; what was recorded is in {}\n", sealed.error().message, folder.folder());
  else if (!options.quiet)
    print_summary(folder.file());
  return end.signal != 0 ? end_by_signal(end.signal) : end.exit_code;
}

}  // namespace

void add_run_command(CLI::App& app, Action& action, const std::vector<std::string>& program) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Run a program and record it");
  command->add_option("-o,--output", options->file, "The file to write; else the program's name with .lap")->type_name("FILE");
  command->add_flag("-q,--quiet", options->quiet, "Print no summary at the end");
  command->add_option("--memory-limit", options->memory_limit, "Most memory for records in each process, e.g. 64MB")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->type_name("SIZE");
  command->prefix_command();
  command->footer("After the options, or after --, stand the command and its arguments. The exit code is the program's own.\n\n"
                  "Examples:\n  laptime run -- ./trainer --epochs 3\n  laptime run -o baseline.lap --memory-limit 64MB -- ./trainer");
  command->callback([options, command, program, &action] {
    options->command = command->remaining();
    options->command.insert(options->command.end(), program.begin(), program.end());
    action = [options] { return run_program(*options); };
  });
}

}  // namespace laptime
