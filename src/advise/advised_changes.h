// What following a rule's advice about this run changes, for `laptime whatif --rule`.
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
  // `wanted` false: nothing will be asked for, and nothing is computed.
  AdvisedChanges(const Analysis& analysis, bool wanted);

  // All findings of the rule: what they change, else the gain that they give. Without a finding,
  // what following the rule comes to in general. An error where nothing is known.
  Result<replay::Changes> of_rule(const std::string& rule) const;
  // What the advice says they bring at most; nothing where it knows no bound.
  std::optional<replay::GainBound> bound_of(const std::string& rule) const;

 private:
  std::uint32_t track_ = 0, phase_ = 0;  // of the steps that advice is about
  std::vector<Advice> advice_;
};

}  // namespace laptime
