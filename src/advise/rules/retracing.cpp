#include <fmt/format.h>

#include "advise/evidence/recompilations.h"
#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"

namespace laptime {

namespace {

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
  if (all.count < static_cast<std::int64_t>(kFewestEvents)) return {};
  const double share = all.part.ns / all.step_ns;
  return {
      {all.file, all.line, share, predict(all.step_ns, all.part, {0, 0.3}), Confidence::high,
       fmt::format("{} was traced again {} times, {} in all, {} of the time of training{}{}.",
                   all.function.empty() ? "A tf.function" : "`" + all.function + "`", all.count,
                   humane_time(all.ns), percent(share), all.reason.empty() ? "" : ": ", all.reason),
       fix_of(all.reason), std::nullopt, std::nullopt,
       "the first call of each new graph also optimizes it"}};
}

}  // namespace

const Rule kRetracing{
    "retracing",
    "A tf.function is traced again and again",
    "functions were traced again at least twice, and that took a significant part of the training "
    "time.",
    "each function is traced once, or for each of a few kinds of arguments at the beginning only.",
    "Pass numbers that change as tensors. Keep shapes the same: `batch(…, drop_remainder=True)`, "
    "padding to a few lengths. Or let one graph take all shapes: "
    "`@tf.function(reduce_retracing=True)`. Table `compile` has every reason.",
    "all first tracings remain, and at most 30 % of the time of the others. The gain is for the "
    "run "
    "as recorded. In a longer run it is smaller, if no new kinds of arguments come. A new graph is "
    "also optimized in its first call, which is not counted.",
    find_retracing};

}  // namespace laptime
