#include "advise/advised_changes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "advise/rules.h"
#include "trace/analysis.h"

namespace laptime {

namespace {

// An error lists the rules that have such changes.
Result<replay::Changes> changes_in_general(const Rule& rule) {
  if (rule.in_general) return rule.in_general();
  std::vector<std::string_view> names;
  for (const Rule* other : all_rules())
    if (other->in_general) names.push_back(other->name);
  return fail(
      ErrorKind::usage,
      fmt::format(
          "this run has no advice '{}', and what it would change in general is known only of {}",
          rule.name, fmt::join(names, ", ")));
}

}  // namespace

AdvisedChanges::AdvisedChanges(const Analysis& analysis, bool wanted) {
  if (!wanted) return;
  const Evidence evidence(analysis);
  if (evidence.main_phase().empty()) return;
  track_ = evidence.main_phase().track(), phase_ = evidence.main_phase().phase();
  advice_ = advise(evidence);
}

Result<replay::Changes> AdvisedChanges::of_rule(const std::string& rule) const {
  ASSIGN_OR_RETURN(const Rule* const wanted, find_rule(rule));
  replay::Changes changes;
  bool is_advised = false, is_risk = false;
  for (const Advice& advice : advice_) {
    if (advice.rule != wanted) continue;
    const Finding& finding = advice.finding;
    if (finding.changes) {
      changes.add(*finding.changes);
    } else if (finding.gain) {
      changes.known_gains.push_back(
          {track_, phase_, finding.gain->expected(), finding.gain->low, finding.gain->high});
    } else {
      is_risk = true;
      continue;
    }
    is_advised = true;
  }
  if (is_advised) return changes;
  if (is_risk)
    return fail(ErrorKind::usage,
                fmt::format("advice '{}' about this run is a risk, and predicts no gain", rule));
  return changes_in_general(*wanted);
}

std::optional<replay::GainBound> AdvisedChanges::bound_of(const std::string& rule) const {
  double left = 1;  // of a step
  bool any = false;
  for (const Advice& advice : advice_) {
    if (advice.rule->name != rule || !advice.finding.gain) continue;
    if (advice.finding.also_faster || !advice.finding.bound || *advice.finding.bound <= 0)
      return std::nullopt;
    left -= 1 - 1 / *advice.finding.bound;
    any = true;
  }
  if (!any || left <= 0) return std::nullopt;
  return replay::GainBound{track_, phase_, 1 / left};
}

}  // namespace laptime
