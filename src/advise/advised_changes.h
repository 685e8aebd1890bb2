// The changes that follow a rule's advice about this run, for `laptime whatif --rule`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/advice.h"
#include "replay/price/changes.h"
#include "trace/analysis.h"

namespace laptime {

class AdvisedChanges {
 public:
  // `wanted` false: nothing is computed, and nothing may be requested.
  AdvisedChanges(const Analysis& analysis, bool wanted);

  // The changes of all findings of the rule, or their gain if they have no changes. Without a
  // finding: the rule's changes in general. Fails if neither is known.
  Result<replay::Changes> of_rule(const std::string& rule) const;
  // The largest gain that the advice considers possible. Nothing if it has no bound.
  std::optional<replay::GainBound> bound_of(const std::string& rule) const;

 private:
  std::uint32_t track_ = 0, phase_ = 0;  // of the steps that advice covers
  std::vector<Advice> advice_;
};

}  // namespace laptime
