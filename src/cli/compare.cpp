#include <fmt/format.h>
#include <unistd.h>
#include <memory>

#include "cli/command.h"
#include "cli/named_run.h"
#include "cli/standard_streams.h"
#include "show/json.h"
#include "show/markdown.h"
#include "show/screen_text.h"
#include "show/terminal.h"
#include "tables/compare/compare.h"
#include "trace/analysis.h"

namespace laptime {

namespace {

constexpr std::size_t kDefaultTop = 10;
constexpr int kOverLimit = 1;

struct CompareOptions {
  std::string a, b;
  std::string fail_over;
  std::size_t top = kDefaultTop;
  bool json = false, markdown = false;
};

// "5%", "5 %" and "5" are five percent.
Result<double> parse_percent(const std::string& text) {
  std::size_t end = 0;
  double percent = -1;
  try {
    percent = std::stod(text, &end);
  } catch (const std::exception&) {
  }
  const std::string rest = text.substr(end);
  if (percent < 0 || !(rest.empty() || rest == "%" || rest == " %"))
    return fail(ErrorKind::usage,
                fmt::format("--fail-over takes a percentage, e.g. 5 %; '{}' is none", text));
  return percent / 100;
}

// One line for people and logs: the change of the step.
std::string summary_line(const PhaseChange& change) {
  const std::string phase = change.phase == "step" ? "step" : printable(change.phase) + " step";
  if (!change.times)
    return fmt::format("{}: too few steps to tell ({} and {})\n", phase, change.steps_a,
                       change.steps_b);
  const double percent = 100 * (change.times->ratio - 1), low = 100 * (change.times->low - 1),
               high = 100 * (change.times->high - 1);
  if (change.verdict == Verdict::no_difference)
    return fmt::format("{}: no difference ({:+.1f} %, 95 % interval {:+.1f} to {:+.1f} %)\n", phase,
                       percent, low, high);
  return fmt::format("{}: {} (time {:+.1f} %, 95 % interval {:+.1f} to {:+.1f} %)\n", phase,
                     change.verdict == Verdict::slower ? "slower" : "faster", percent, low, high);
}

Result<int> compare(const CompareOptions& options) {
  double limit = -1;
  if (!options.fail_over.empty()) {
    ASSIGN_OR_RETURN(limit, parse_percent(options.fail_over));
  }
  ASSIGN_OR_RETURN(const Run run_a, load_named_run(options.a));
  ASSIGN_OR_RETURN(const Run run_b, load_named_run(options.b));
  const Analysis a(run_a), b(run_b);
  const std::vector<PhaseChange> changes = compare_steps(a, b);
  std::vector<Table> tables{compare_steps_table(changes)};
  for (Table& table : compare_tables(a, b)) tables.push_back(std::move(table));
  for (std::size_t i = 1; i < tables.size(); ++i) keep_top(tables[i], options.top);
  std::string verdicts;
  for (const PhaseChange& change : changes) verdicts += summary_line(change);
  if (changes.empty()) verdicts = "neither run has steps: what they spent is compared as a whole\n";
  const std::string text = options.json ? to_json(tables)
                           : options.markdown
                               ? verdicts + "\n" + to_markdown(tables)
                               : verdicts + "\n" + to_terminal(tables, style_for(STDOUT_FILENO));
  RETURN_IF_ERROR(print_result(text));
  if (limit < 0 || !is_over(changes, limit)) return 0;
  print_note(fmt::format("laptime: slower by more than {}", options.fail_over));
  return kOverLimit;
}

}  // namespace

void add_compare_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command =
      app.add_subcommand("compare", "Compare two runs: what became faster or slower, and where");
  command->add_option("a", options->a, "The run before")->required();
  command->add_option("b", options->b, "The run after")->required();
  command
      ->add_option("--fail-over", options->fail_over,
                   "End with 1 if the median step is slower by significantly more than this")
      ->type_name("PCT");
  command->add_option("--top", options->top, "Rows of each table")
      ->check(CLI::Range(1, 1'000'000'000))
      ->type_name("N");
  CLI::Option* json =
      command->add_flag("--json", options->json, "Print JSON: times in ns, ratios as B over A");
  command->add_flag("--markdown", options->markdown, "Print Markdown, for a pull request")
      ->excludes(json);
  add_max_memory(*command);
  command->footer(
      "The verdict is on the median step: its 95 % interval is found by resampling blocks of "
      "steps. Differences under 1 % are ignored.\n\n"
      "Examples:\n  laptime compare before.lap after.lap\n  laptime compare main.lap "
      "branch.lap "
      "--fail-over 5%\n"
      "  laptime compare main.lap branch.lap --markdown > comment.md");
  command->callback([options, &action] { action = [options] { return compare(*options); }; });
}

}  // namespace laptime
