// The advice engine: runs every rule, keeps the findings that are worth reporting, and sorts them
// by their expected benefit.
//
// A finding is reported if its expected gain is at least kLeastGain, or if it has no gain (a risk).
// evidence.h defines the least evidence that rules need. Of several findings about one line, the
// more specific rule's is kept.
#pragma once

#include <vector>

#include "advise/rule.h"
#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

inline constexpr double kLeastGain = 1.02;

struct Advice {
  const Rule* rule;
  Finding finding;
};

// Advice that keeps the training's meaning comes first. Each part is sorted by falling gain,
// weighted by confidence. Risks come last.
std::vector<Advice> advise(const Evidence& evidence);
std::vector<Advice> advise(const Analysis& analysis);

// Table `advice`. gain_bound is unknown if also_faster names something else that runs faster.
Table advice_table(const Analysis& analysis);
extern const TableDefinition kAdviceTable;

}  // namespace laptime
