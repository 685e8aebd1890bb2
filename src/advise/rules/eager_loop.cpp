#include <fmt/format.h>
#include <algorithm>
#include <map>

#include "advise/evidence/line_calls.h"
#include "advise/evidence/program_lines.h"
#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

constexpr double kFewestOps = 20;      // per step; fewer are metrics or the input
constexpr double kMostDispatch = 0.1;  // of a step: more of it is compiled already
constexpr double kLeastBetween = 0.2;  // of a step that no op computes
constexpr double kGraphOp = 0.5;       // of the fastest calls: no dispatch from Python
constexpr std::string_view kModule = "<module>";

bool is_input(const StepOp& op) { return op.name.starts_with("Iterator"); }

struct EagerOps {
  double calls = 0, ns = 0, fast_ns = 0;
};

EagerOps eager_ops(const Evidence& evidence) {
  EagerOps all;
  for (const StepOp& op : evidence.ops()) {
    if (is_input(op)) continue;
    all.calls += op.calls;
    all.ns += op.self_ns;
    all.fast_ns += op.fast_ns;
  }
  return all;
}

// The program's own Python: a graph does not contain it.
double own_python(const Evidence& evidence) {
  double ns = 0;
  for (const PythonLine& line : python_lines(evidence))
    ns += line.has_ops || calls_framework_only(line.source) ? 0 : line.self.ns;
  return ns;
}

// Input, waits and the like take as long as before.
double unchanged(const Evidence& evidence) {
  double ns = own_python(evidence);
  for (const HostCategory category :
       {HostCategory::input, HostCategory::gc, HostCategory::checkpoint, HostCategory::compile,
        HostCategory::communication, HostCategory::device_wait, HostCategory::dispatch})
    ns += evidence.host(category).ns;
  return ns;
}

struct Place {
  std::string file, function;
  std::uint32_t line = 0;
};

// The function that calls most ops. At the top level of a file the line that does.
Place place_of_ops(const Evidence& evidence) {
  std::map<std::pair<std::string, std::uint32_t>, const StepLine*> lines;
  for (const StepLine& line : evidence.lines()) lines.try_emplace({line.file, line.line}, &line);
  std::map<std::tuple<std::string, std::uint32_t, std::string>, double> calls;
  for (const StepOp& op : evidence.ops()) {
    if (op.file.empty() || is_input(op)) continue;
    const auto found = lines.find({op.file, op.line});
    const bool in_function = found != lines.end() && found->second->function != kModule;
    calls[{op.file, in_function ? found->second->first_line : op.line,
           in_function ? found->second->function : ""}] += op.calls;
  }
  const auto most = std::max_element(
      calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == calls.end()) return {};
  const auto& [file, line, function] = most->first;
  return {file, function, line};
}

// If ops have no lines: where most of the program's Python runs.
Place place_of_python(const Evidence& evidence) {
  const StepLine* most = nullptr;
  for (const StepLine& line : evidence.lines())
    if (!evidence.source(line.file, line.line).starts_with("for ") &&
        (!most || line.self.ns > most->self.ns))
      most = &line;
  if (!most) return {};
  return most->function == kModule ? Place{most->file, "", most->line}
                                   : Place{most->file, most->function, most->first_line};
}

std::vector<Finding> find_eager_loop(const Evidence& evidence) {
  const Settings& settings = evidence.settings();
  if (!settings.tensorflow) return {};
  const EagerOps ops = eager_ops(evidence);
  const double step = evidence.step_ns(), kept = unchanged(evidence);
  if (ops.calls < kFewestOps || evidence.share(step - kept - ops.ns) < kLeastBetween ||
      evidence.share(evidence.host(HostCategory::dispatch).ns) > kMostDispatch)
    return {};
  const auto eager_model =
      std::find_if(settings.models.begin(), settings.models.end(),
                   [](const ModelSettings& model) { return model.run_eagerly; });
  const bool by_keras = eager_model != settings.models.end();
  Place place = by_keras ? Place{eager_model->file, "", eager_model->line} : place_of_ops(evidence);
  if (place.file.empty()) place = place_of_python(evidence);
  return {{place.file, place.line, evidence.share(step - kept),
           predict(step, Range{kept + kGraphOp * ops.fast_ns, kept + ops.ns}), Confidence::medium,
           fmt::format("{:.0f} ops of a step run eagerly, one call from Python each: the ops take "
                       "{}, and Python between them {}.",
                       ops.calls, percent(evidence.share(ops.ns)),
                       of_a_step(evidence, step - kept - ops.ns)),
           by_keras ? std::string("compile(…, run_eagerly=False)")
           : place.function.empty()
               ? std::string("Put the step into a function, and @tf.function above it")
               : fmt::format("@tf.function above `def {}`",
                             place.function.substr(place.function.rfind('.') + 1))}};
}

}  // namespace

const Rule kEagerLoop{
    "eager-loop",
    "TensorFlow's ops run one by one from Python",
    "at least 20 ops of a step run on the stepping thread outside of a `tf.function`, and Python "
    "between them takes at least a fifth of the step.",
    "the step is a `tf.function` already, or most of it is the ops themselves.",
    "Put forward pass, gradients and optimizer into one function with `@tf.function`. Pass "
    "tensors to it, not Python numbers (retracing). With Keras: `compile(…, run_eagerly=False)`. "
    "Python code in the function, `print` for example, then runs only while it is traced.",
    "what remains is input, waits, the program's own Python, and the ops: at most their present "
    "time, at best half of what their fastest calls take. Python between ops is gone.",
    find_eager_loop};

}  // namespace laptime
