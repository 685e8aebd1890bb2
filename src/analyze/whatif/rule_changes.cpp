#include "analyze/whatif/rule_changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace laptime::whatif {

namespace {

struct RuleChanges {
  const char* rule;
  Changes changes;
};

Changes input_free() {
  Changes changes;
  changes.input_free = true;
  return changes;
}
Changes launches_free() {
  Changes changes;
  changes.launch_free = true;
  return changes;
}
Changes batch(double factor) {
  Changes changes;
  changes.batch = factor;
  return changes;
}

// What is left of a part of the step after the advice was followed, where nothing measured tells: experience.
const std::vector<RuleChanges>& table() {
  static const std::vector<RuleChanges> rules{
      {"no-workers", workers_change(2)},
      {"few-workers", workers_change(4)},
      {"in-memory-dataset", input_free()},
      {"reload", input_free()},
      {"launch-bound", launches_free()},
      {"small-batch", batch(2)},
      {"hidden-sync", scale_change("sync wait", 0, 0, 0.5)},
      {"pageable-copy", scale_change("copy wait", 0.4, 0.1, 0.7)},
      {"gc-pauses", scale_change("gc", 0, 0, 0.2)},
      {"single-tensor-optimizer", scale_change("Optimizer.step*", 0.4, 0.1, 0.7)},
      {"zero-grad", scale_change("Optimizer.zero_grad*", 0.3, 0.05, 0.7)},
  };
  return rules;
}

}  // namespace

Result<Changes> changes_of_rule(std::string_view rule) {
  for (const RuleChanges& entry : table())
    if (rule == entry.rule) return entry.changes;
  return fail(ErrorKind::usage, fmt::format("nothing is known of what rule '{}' would change; it is known of {}", rule, fmt::join(rules_with_changes(), ", ")));
}

std::vector<std::string_view> rules_with_changes() {
  std::vector<std::string_view> names;
  for (const RuleChanges& entry : table()) names.push_back(entry.rule);
  return names;
}

}  // namespace laptime::whatif
