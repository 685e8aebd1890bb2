// The advice engine: asks every rule, keeps what is worth saying, and sorts by what it will bring.
//
// A finding is worth saying when the gain to be expected is at least kLeastGain; one without a gain
// (a risk) always is. What a rule needs at least to be sure stands in evidence.h. Of several
// findings about one line the one of the more particular rule stays.
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

// What keeps the training's meaning first. Of these, and of the others, what brings most, counting
// how sure it is; risks last.
std::vector<Advice> advise(const Evidence& evidence);
std::vector<Advice> advise(const Analysis& analysis);

// Table `advice`: rule, file, line, share, gain_low, gain_high, confidence, message, fix, gain,
// gain_bound, also_faster, meaning, noise. gain_bound: what arithmetic allows at most; unknown
// where also_faster says what else runs faster. noise: the share by which two starts of the program
// differ; it is not part of the interval.
Table advice_table(const Analysis& analysis);
extern const TableDefinition kAdviceTable;

}  // namespace laptime
