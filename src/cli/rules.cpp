#include <fmt/format.h>
#include <memory>

#include "advise/rules.h"
#include "cli/command.h"

namespace laptime {

namespace {

Result<int> print_rules(const std::string& name) {
  if (name.empty()) {
    std::string text;
    for (const Rule* rule : all_rules())
      text += fmt::format("{:<24} {}\n", rule->name, rule->title);
    RETURN_IF_ERROR(print_result(text));
    return 0;
  }
  ASSIGN_OR_RETURN(const Rule* rule, find_rule(name));
  RETURN_IF_ERROR(print_result(rule_page(*rule)));
  return 0;
}

}  // namespace

void add_rules_command(CLI::App& app, Action& action) {
  auto name = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("rules", "List the rules that advice comes from, or explain one");
  command->add_option("rule", *name, "The rule to explain, as named in table advice");
  command->footer("Examples:\n  laptime rules\n  laptime rules no-workers");
  command->callback([name, &action] { action = [name] { return print_rules(*name); }; });
}

}  // namespace laptime
