#include <fmt/format.h>

#include "advise/python_time.h"
#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"

namespace laptime {

namespace {

constexpr std::size_t kMostLines = 3;

std::string times(double hits) { return hits < 1.5 ? "" : fmt::format(", run {} times a step", humane_number(hits)); }

std::vector<Finding> find_python_line(const Evidence& evidence) {
  std::vector<Finding> findings;
  for (const PythonLine& line : python_lines(evidence)) {
    if (findings.size() == kMostLines) break;
    findings.push_back({line.line.file, line.line.line, evidence.share(line.self.ns), std::nullopt, Confidence::medium,
                        fmt::format("Python of one line of {},{}{}, takes {}; no op of the framework's runs meanwhile.", line.line.function, cited(line.source),
                                    times(line.line.hits), of_a_step(evidence, line.self.ns)),
                        "Move it out of the loop, do it every Nth step, or write it as one tensor op instead of a Python loop",
                        shrunk_line(line.line.file, line.line.line, {0, 0.6})});
  }
  return findings;
}

}  // namespace

const Rule kPythonLine{
    "python-line",
    "A line of Python takes a good part of the step",
    "a line of the program's own code that runs in at least every other step takes time itself, without ops, waits, backward and the optimizer.",
    "another rule knows what the line does (reload, logging, checkpoint), its source cannot be read, or it may be part of a dataset.",
    "Move it out of the loop, do it less often, or express it as tensor ops on the whole batch.",
    "by a replay of the run: between 40 % and all of the line's Python goes, and the few ops in it.",
    find_python_line};

}  // namespace laptime
