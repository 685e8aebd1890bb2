#include <fmt/format.h>

#include "advise/evidence/line_calls.h"
#include "advise/evidence/program_lines.h"
#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

bool logs(const std::string& source) {
  return calls_any(source, {"print", "log", "log_dict", "log_metrics", "info", "debug",
                            "add_scalar", "add_scalars", "add_image", "add_images", "add_histogram",
                            "set_postfix", "imshow", "savefig", "write"});
}

std::vector<Finding> find_logging(const Evidence& evidence) {
  std::vector<Finding> findings;
  for (const PythonLine& line : python_lines(evidence, true)) {
    if (!logs(line.source)) continue;
    const double ns = line.line.self.ns;  // with the ops that compute the value shown
    findings.push_back({line.line.file, line.line.line, evidence.share(ns), std::nullopt,
                        Confidence::high,
                        fmt::format("Something is logged in every step:{} takes {}.",
                                    cited(line.source), of_a_step(evidence, ns)),
                        "if step % 50 == 0: …; keep the loss as a tensor in between "
                        "(loss.detach()), and print it only then",
                        shrunk_line(line.line.file, line.line.line, {0.01, 0.1})});
  }
  return findings;
}

}  // namespace

const Rule kLogging{
    "logging",
    "Logging in every step",
    "a line that runs in at least every other step prints, logs or draws, and takes a "
    "significant part of the step.",
    "logging is rare, or takes almost no time.",
    "Log in every Nth step. Keep values that will be averaged as tensors: `.item()` and "
    "printing wait for the device.",
    "by a replay of the run: 90 to 99 % of the line's time is saved, its ops included.",
    find_logging};

}  // namespace laptime
