// Lines of the program's own code that take a significant part of a step, or of making a batch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/evidence/evidence.h"

namespace laptime {

// The program's own Python within a step, by line. It leaves out the ops, loader, backward and
// optimizer that the line calls.
//
// Assumption: the source shows which lines wait for batches, or call backward() or an optimizer.
// Lines are left out if their source is missing, if they mostly run ops, or if they may run inside
// a loader. All are left out if ops have no lines.
// Consequence: the sum over lines is at most the category `python` of the breakdown.
struct PythonLine {
  StepLine line;
  std::string source;
  bool has_ops;  // it calls ops itself
  Part self;     // Python of the line and of libraries that it calls
  Part whole;    // with all that the program's own functions do that it calls
};

// Lines that run in at least every other step and take at least kLeastLineShare of a step, by
// falling own time. `with_ops`: also lines that mostly run ops.
std::vector<PythonLine> python_lines(const Evidence& evidence, bool with_ops = false);

// A line of the program's functions that make batches, and its part of a batch.
struct BatchLine {
  StepLine line;
  double share;      // of making a batch
  double per_batch;  // how often it runs
  // With the function's other lines that run at least half as often: the loop around it.
  double loop_share;
};

// The function's line with the most time, in the workers if there are any, else in the steps.
// Nothing if none of its lines was timed.
std::optional<BatchLine> hottest_line(const Evidence& evidence, const CodeName& code);

// The change that reduces a share of making a batch to `left` of it.
replay::Changes batch_without(double share, Range left);

}  // namespace laptime
