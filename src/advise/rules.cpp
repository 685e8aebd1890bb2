#include "advise/rules.h"

#include <fmt/format.h>

namespace laptime {

namespace {

#define LAPTIME_RULE_ADDRESS(rule) &rule,
constexpr const Rule* kRules[] = {LAPTIME_RULES(LAPTIME_RULE_ADDRESS)};
#undef LAPTIME_RULE_ADDRESS

}  // namespace

std::span<const Rule* const> all_rules() { return kRules; }

Result<const Rule*> find_rule(std::string_view name) {
  std::string names;
  for (const Rule* rule : kRules) {
    if (name == rule->name) return rule;
    names += (names.empty() ? "" : ", ") + std::string(rule->name);
  }
  return fail(ErrorKind::usage,
              fmt::format("there is no rule '{}'; the rules are {}", name, names));
}

std::string rule_page(const Rule& rule) {
  return fmt::format(
      "# {}: {}\n\n**Speaks when** {}\n\n**Says nothing when** {}\n\n**What to do.** "
      "{}\n\n**Predicted gain:** {}\n",
      rule.name, rule.title, rule.speaks, rule.silent, rule.remedy, rule.predicts);
}

}  // namespace laptime
