#include <fmt/format.h>
#include <algorithm>

#include "advise/evidence/step_calls.h"
#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"
#include "trace/run/properties.h"

namespace laptime {

namespace {

constexpr double kEveryOtherStep = 0.5;
constexpr std::size_t kMostWaits = 3;
// The share of the host's work that still delays the device.
constexpr Range kDelaying{0.1, 1};

// What the host does beside the waits: it could do this for the next step meanwhile.
Part work_of_host(const Evidence& evidence) {
  Part work;
  for (const HostCategory category :
       {HostCategory::rest, HostCategory::dispatch, HostCategory::input}) {
    const Part part = evidence.host(category);
    work.ns += part.ns;
    work.error_ns += part.error_ns;
  }
  return work;
}

std::vector<Finding> find_jax_sync(const Evidence& evidence) {
  if (property_text(evidence.process().properties, "jax").empty()) return {};
  const std::vector<StepCall> waits =
      calls_in_steps(evidence.analysis(), evidence.main_phase(), SpanKind::wait);
  double all = 0;
  for (const StepCall& wait : waits) all += wait.ns;
  const Part work = work_of_host(evidence);
  std::vector<Finding> findings;
  for (const StepCall& wait : waits) {
    if (wait.calls < kEveryOtherStep || wait.file.empty() || findings.size() == kMostWaits)
      continue;
    const Part hidden = work.with_mean(std::min(all, work.ns) * wait.ns / all);
    findings.push_back(
        {wait.file, wait.line, evidence.share(hidden.ns),
         predict(evidence.step_ns(), hidden, kDelaying), Confidence::low,
         fmt::format("The program waits here for JAX's result, {} a step:{} waits {}. Meanwhile "
                     "Python prepares nothing: its {} a step could run beside the computation.",
                     counted(wait.calls, "time", "times"),
                     cited(evidence.source(wait.file, wait.line)), of_a_step(evidence, wait.ns),
                     humane_time(work.ns)),
         "Keep losses as arrays (losses.append(loss)), and read or print them every Nth step, or "
         "after the epoch: jax.device_get(losses)"});
  }
  return findings;
}

}  // namespace

const Rule kJaxSync{
    "jax-sync",
    "A line waits for JAX in each step",
    "a line of a JAX program waits for a result in at least every other step: `float(loss)`, "
    "`print(loss)`, `np.asarray`, `block_until_ready`.",
    "the program reads results rarely, or the host has nothing to do meanwhile.",
    "JAX returns from a call before the result is computed. Keep the loss as an array, and read "
    "it in every Nth step or after the epoch with `jax.device_get(losses)`. Then Python prepares "
    "the next batch while the device computes.",
    "at most 90 % of the host's own work (Python, calls, input), and not more than the wait, is "
    "hidden behind the computation. At worst nothing is: on a CPU both need the same processors.",
    find_jax_sync};

}  // namespace laptime
