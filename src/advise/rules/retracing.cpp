#include <fmt/format.h>
#include <algorithm>

#include "advise/evidence/recompilations.h"
#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"

namespace laptime {

namespace {

// Fewer belong to the beginning: another shape in the last batch, or a graph for all shapes.
constexpr std::int64_t kFewestRetracings = 4;

// What steps that compile take longer than the others, per step. The first call of a new graph also
// optimizes it.
double extra_of_compiling(const Evidence& evidence) {
  const StepList steps = evidence.main_phase().steps();
  double usual_ns = 0, compiling_ns = 0, usual = 0, compiling = 0;
  for (const HostStep& s : steps) {
    const bool compiles = s.step.kind == StepKind::compile;
    (compiles ? compiling_ns : usual_ns) += static_cast<double>(s.step.wall_ns);
    (compiles ? compiling : usual) += 1;
  }
  if (usual == 0 || compiling == 0) return 0;
  return std::max(0.0, compiling_ns - compiling * usual_ns / usual) /
         static_cast<double>(steps.size());
}

// `reason`: as laptime's collector of TensorFlow writes it.
std::string fix_of(const std::string& reason) {
  if (reason.find("the Python value") != std::string::npos)
    return "Pass the number as a tensor: tf.constant(…), or a tf.Variable that is assigned";
  if (reason.find('[') != std::string::npos)
    return "@tf.function(reduce_retracing=True), or the same shape in every step: "
           "batch(…, drop_remainder=True), padding";
  return "Pass the same kinds of arguments in every step; make the tf.function once, before the "
         "loop";
}

std::vector<Finding> find_retracing(const Evidence& evidence) {
  const Recompilations all =
      find_recompilations(evidence, "tf.function tracing", "tf.function retracing");
  if (all.count < kFewestRetracings) return {};
  const Part part{std::max(all.part.ns, extra_of_compiling(evidence)), 0};
  const double share = part.ns / all.step_ns;
  return {
      {all.file, all.line, share, predict(all.step_ns, part, {0, 0.15}), Confidence::high,
       fmt::format("{} was traced again {} times in {}; with the first calls of its graphs that is "
                   "{} of the "
                   "time of training{}{}.",
                   all.function.empty() ? "A tf.function" : "`" + all.function + "`", all.count,
                   humane_time(all.ns), percent(share), all.reason.empty() ? "" : ": ", all.reason),
       fix_of(all.reason)}};
}

}  // namespace

const Rule kRetracing{
    "retracing",
    "A tf.function is traced again and again",
    "functions were traced again at least four times, and that took a significant part of the "
    "training "
    "time.",
    "each function is traced once, or for each of a few kinds of arguments at the beginning only.",
    "Pass numbers that change as tensors. Keep shapes the same: `batch(…, drop_remainder=True)`, "
    "padding to a few lengths. Or let one graph take all shapes: "
    "`@tf.function(reduce_retracing=True)`. Table `compile` has every reason.",
    "all first tracings remain, and at most 15 % of the time of the others. The gain is for the "
    "run "
    "as recorded. In a longer run it is smaller, if no new kinds of arguments come. A new graph is "
    "also optimized in its first call: what such steps take longer than others is counted.",
    find_retracing};

}  // namespace laptime
