#include <fmt/format.h>

#include "advise/evidence/recompilations.h"
#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"
#include "format/names.h"

namespace laptime {

namespace {

std::vector<Finding> find_recompile(const Evidence& evidence) {
  const Recompilations all = find_recompilations(evidence, span_name::kCompile, "recompile");
  if (all.count < static_cast<std::int64_t>(kFewestEvents)) return {};
  const double share = all.part.ns / all.step_ns;
  return {{all.file, all.line, share, predict(all.step_ns, all.part, {0, 0.3}), Confidence::high,
           fmt::format(
               "torch.compile compiled again {} times, {} in all, {} of the time of training{}{}.",
               all.count, humane_time(all.ns), percent(share), all.reason.empty() ? "" : ": ",
               all.reason),
           "Keep shapes and Python values the same from step to step (drop_last=True, padding), or "
           "torch.compile(model, dynamic=True)"}};
}

}  // namespace

const Rule kRecompile{
    "recompile",
    "torch.compile compiles again and again",
    "functions were compiled again at least twice, and that took a significant part of the "
    "training time.",
    "each function is compiled once.",
    "Keep shapes the same with `DataLoader(…, drop_last=True)` or by padding to a few lengths. "
    "Or use `torch.compile(model, dynamic=True)`. Make Python numbers that change between calls "
    "tensors, or keep them outside. Table `compile` has every reason.",
    "all first compilations remain, and at most 30 % of the time of the others. The gain is for "
    "the run as recorded, first compilations included. In a longer run it is smaller.",
    find_recompile};

}  // namespace laptime
