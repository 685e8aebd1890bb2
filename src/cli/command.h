// What the files of this folder share: each adds one command to the app. When the command line
// names it, it puts its work into `Action`.
//
// Contract: results go to stdout, everything else to stderr. An Error becomes one line and its
// kind's exit code (main.cpp).
#pragma once

#include <sys/types.h>
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"

namespace laptime {

// Returns the exit code, or an error if there is none.
using Action = std::function<Result<int>()>;

// `program`: the program to run and its arguments, set before the app parses (main.cpp).
CLI::App& add_run_command(CLI::App& app, Action& action, const std::vector<std::string>& program);
CLI::App& add_tune_command(CLI::App& app, Action& action, const std::vector<std::string>& program);
void add_report_command(CLI::App& app, Action& action);
void add_import_command(CLI::App& app, Action& action);
void add_export_command(CLI::App& app, Action& action);
void add_compare_command(CLI::App& app, Action& action);
void add_rules_command(CLI::App& app, Action& action);
void add_whatif_command(CLI::App& app, Action& action);
void add_doctor_command(CLI::App& app, Action& action);
void add_completion_command(CLI::App& app, Action& action);

// "--mode 640": the permissions of the run that the command writes.
void add_mode_option(CLI::App& command, mode_t& mode);

// Adds --max-memory to a command that reads runs.
void add_max_memory(CLI::App& command);

// Writes all of it to stdout, or fails (for example with a full disk behind a redirection).
Status print_result(const std::string& text);

}  // namespace laptime
