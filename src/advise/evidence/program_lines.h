// Lines of the program's own code that take a good part of a step, or of making a batch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/evidence/evidence.h"

namespace laptime {

// The program's own Python within a step, line by line: what a line takes itself, without what ops,
// the loader, backward and optimizers take that it calls.
//
// Assumption: which line waits for batches, calls backward() or an optimizer is told from its
// source; of a line that cannot be read nothing is claimed, nor of lines that mostly run ops, nor
// where ops have no lines, nor of lines that may run inside a loader. Consequence: the sum over
// lines is at most what breakdown calls python.
struct PythonLine {
  StepLine line;
  std::string source;
  bool has_ops;  // that it calls itself
  Part self;     // Python of the line itself and of libraries that it calls
  Part whole;    // with the program's own functions that it calls, whatever they do
};

// Lines that run in at least every other step and make up at least a part of the step that matters;
// those that take longest themselves first. `with_ops`: also lines that mostly run ops.
std::vector<PythonLine> python_lines(const Evidence& evidence, bool with_ops = false);

// Lines of the program's own functions that make batches, and what of a batch each takes.
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
