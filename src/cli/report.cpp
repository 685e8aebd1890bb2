#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <algorithm>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/named_run.h"
#include "cli/overview.h"
#include "cli/progress_line.h"
#include "cli/report_tables.h"
#include "show/csv.h"
#include "show/json.h"
#include "show/terminal.h"
#include "tables/run/run_facts.h"
#include "trace/analysis.h"

namespace laptime {

namespace {

// Fits on a screen. The default without --top.
constexpr std::size_t kDefaultTop = 20;

struct ReportOptions {
  std::string file;
  std::vector<std::string> tables;
  std::string sort, by;
  std::size_t top = 0;
  bool json = false, csv = false;
};

Result<std::vector<const TableDefinition*>> find_tables(const std::vector<std::string>& names) {
  std::vector<const TableDefinition*> definitions;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(definitions.emplace_back(), find_table(name, report_tables()));
  }
  return definitions;
}

// The functions that make the tables. Each table uses the requested grouping if it has it. Fails if
// no table has it.
Result<std::vector<MakeTable>> choose_groupings(
    const std::vector<const TableDefinition*>& definitions, const std::string& by) {
  std::vector<MakeTable> makers;
  std::optional<Error> problem;
  bool any = by.empty();
  for (const TableDefinition* definition : definitions) {
    const auto grouped =
        by.empty() ? Result<MakeTable>(definition->make) : find_grouping(*definition, by);
    makers.push_back(grouped.value_or(definition->make));
    any |= grouped.has_value();
    if (!grouped) problem = grouped.error();
  }
  if (!any) return tl::unexpected(*problem);
  return makers;
}

// Sorts the tables that have the column. Fails if no table has it.
Status sort_tables(std::vector<Table>& tables, const std::string& column) {
  Status problem{};
  bool any = false;
  for (Table& table : tables) {
    Status status = sort_by(table, column);
    any |= status.has_value();
    if (!status) problem = std::move(status);
  }
  return any ? Status{} : problem;
}

void cut_table(Table& table, std::size_t top) {
  if (table.rows.size() > top)
    table.title += fmt::format(" (first {} of {})", top, table.rows.size());
  keep_top(table, top);
}

bool is_overview(const ReportOptions& options) {
  return options.tables.empty() && !options.json && !options.csv;
}

void cut_tables(std::vector<Table>& tables, const ReportOptions& options) {
  for (Table& table : tables) {
    if (table.name == "run" && options.tables.empty()) continue;
    if (options.top > 0)
      cut_table(table, options.top);
    else if (is_overview(options))
      cut_table(table, kDefaultTop);
  }
}

Result<int> report(const ReportOptions& options) {
  // Wrong options are reported before a large file is read.
  ASSIGN_OR_RETURN(auto definitions, find_tables(options.tables));
  if (!definitions.empty()) RETURN_IF_ERROR(choose_groupings(definitions, options.by));
  auto progress = std::make_unique<ProgressLine>("laptime: reading the run…");
  ASSIGN_OR_RETURN(const Run run, load_named_run(options.file));
  if (definitions.empty()) {
    ASSIGN_OR_RETURN(definitions, find_tables(overview_tables(run)));
  }
  ASSIGN_OR_RETURN(const auto makers, choose_groupings(definitions, options.by));
  std::vector<Table> tables = make_tables(Analysis(run), makers);
  progress.reset();
  if (!options.sort.empty()) RETURN_IF_ERROR(sort_tables(tables, options.sort));
  cut_tables(tables, options);
  if (is_overview(options)) leave_out_empty(tables);
  TerminalStyle style = style_for(STDOUT_FILENO);
  style.directory = run_directory(run);
  RETURN_IF_ERROR(print_result(options.json  ? to_json(tables)
                               : options.csv ? to_csv(tables)
                                             : to_terminal(tables, style)));
  return 0;
}

std::string describe_tables() {
  std::string text = "Tables:\n";
  for (const TableDefinition* table : report_tables()) {
    text += fmt::format("  {:<14} {}\n", table->name, table->description);
    if (table->groupings.empty()) continue;
    text += fmt::format("  {:<14} --by", "");
    for (const Grouping& grouping : table->groupings)
      text +=
          fmt::format(" {}{}", grouping.name, &grouping == &table->groupings.back() ? "\n" : ",");
  }
  return text;
}

std::vector<std::string> grouping_names() {
  std::vector<std::string> names;
  for (const TableDefinition* table : report_tables())
    for (const Grouping& grouping : table->groupings)
      if (std::find(names.begin(), names.end(), grouping.name) == names.end())
        names.push_back(grouping.name);
  return names;
}

}  // namespace

void add_report_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Print tables of a run");
  command
      ->add_option("file", options->file,
                   "The run: NAME.lap, or NAME.lap.d of a program that runs or was killed")
      ->required();
  std::vector<std::string> names;
  for (const TableDefinition* table : report_tables()) names.push_back(table->name);
  command->add_option("tables", options->tables, "Which tables; none: an overview")
      ->type_name(fmt::format("{{{}}}", fmt::join(names, ",")));
  command->add_option("--sort", options->sort, "Sort by this column: largest numbers first");
  command
      ->add_option("--by", options->by,
                   "How to divide a table into rows, for tables with several groupings")
      ->type_name(fmt::format("{{{}}}", fmt::join(grouping_names(), ",")));
  command->add_option("--top", options->top, "Print only the first N rows of each table")
      ->check(CLI::Range(1, 1'000'000'000))
      ->type_name("N");
  CLI::Option* json =
      command->add_flag("--json", options->json, "Print JSON: times in ns, memory in bytes");
  command->add_flag("--csv", options->csv, "Print CSV")->excludes(json);
  add_max_memory(*command);
  command->footer(describe_tables() +
                  "\nExamples:\n  laptime report trainer.lap\n  laptime report trainer.lap scopes "
                  "--sort self_ns --top 10\n"
                  "  laptime report trainer.lap steps --csv\n  laptime report train.lap ops --by "
                  "line --top 20");
  command->callback([options, &action] { action = [options] { return report(*options); }; });
}

}  // namespace laptime
