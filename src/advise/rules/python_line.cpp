#include <fmt/format.h>

#include "advise/evidence/line_calls.h"
#include "advise/evidence/program_lines.h"
#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"

namespace laptime {

namespace {

constexpr std::size_t kMostLines = 3;

std::string times(double hits) {
  return hits < 1.5 ? "" : fmt::format(", run {} times a step", humane_number(hits));
}

// Whether the time is the program's own Python. If the line calls ops and contains no loop, it is
// torch's and the model's Python around these ops.
bool is_programs_own(const PythonLine& line) {
  return has_own_loop(line.source) || (!line.has_ops && !calls_framework_only(line.source));
}

std::string what_to_do(const PythonLine& line, const Settings& settings) {
  if (line.has_ops && settings.tensorflow)
    return "Write the loop as one op on larger tensors: tf.stack, tf.concat, a batched product";
  if (line.has_ops)
    return "Write the loop as one op on larger tensors: torch.stack, torch.cat, a batched product, "
           "torch._foreach_…";
  return "Move what does not change from step to step out of the loop, do it every Nth step, or "
         "write it as one tensor op instead of a Python loop";
}

std::vector<Finding> find_python_line(const Evidence& evidence) {
  std::vector<Finding> findings;
  for (const PythonLine& line : python_lines(evidence)) {
    if (findings.size() == kMostLines) break;
    if (!is_programs_own(line)) continue;
    findings.push_back(
        {line.line.file, line.line.line, evidence.share(line.self.ns), std::nullopt,
         Confidence::medium,
         fmt::format(
             "Python of one line of {},{}{}, takes {}{}.", line.line.function, cited(line.source),
             times(line.line.hits), of_a_step(evidence, line.self.ns),
             line.has_ops ? " besides its ops" : "; no op of the framework's runs meanwhile"),
         what_to_do(line, evidence.settings()),
         shrunk_line(line.line.file, line.line.line, {0, 0.6})});
  }
  return findings;
}

}  // namespace

const Rule kPythonLine{
    "python-line",
    "A line of Python takes a large part of the step",
    "a line of the program's own code runs in at least every other step and itself takes time. "
    "Ops, waits, backward and the optimizer are not counted.",
    "another rule covers the line (reload, logging, checkpoint), its source cannot be read, or "
    "it may be part of a dataset. Lines that are the step itself are not reported either. These "
    "call ops without a loop, or call only torch, the model, the criterion, a distribution or "
    "the optimizer (`clip_grad_norm_`, `model(x)`, `log_prob`).",
    "Move work that is the same in every step out of the loop, do it less often, or write it as "
    "tensor ops on the whole batch. Replace a loop of ops by one op on larger tensors.",
    "by a replay of the run: 40 % to all of the line's Python is saved, with the few ops in it.",
    find_python_line};

}  // namespace laptime
