// Lines of the program's own functions that make batches, and what of a batch each takes.
#pragma once

#include <optional>
#include <string>

#include "advise/evidence.h"

namespace laptime {

struct BatchLine {
  StepLine line;
  double share;       // of making a batch
  double per_batch;   // how often it runs
  double loop_share;  // with the function's other lines that run at least half as often: the loop
                      // it is in
};

// The line that takes longest of the function; in the workers where there are any, else in the
// steps. Nothing where no line of it was timed.
std::optional<BatchLine> hottest_line(const Evidence& evidence, const CodeName& code);

// The share of making a batch goes, but for what is left of it.
replay::Changes batch_without(double share, Range left);

}  // namespace laptime
