#include <fmt/format.h>

#include "advise/evidence/line_calls.h"
#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"

namespace laptime {

namespace {

std::vector<Finding> find_checkpoint(const Evidence& evidence) {
  const auto steps = static_cast<double>(evidence.main_phase().steps().size());
  for (const StepLine& line : evidence.lines()) {  // by falling time
    const std::string source = evidence.source(line.file, line.line);
    if (!calls_any(source, {"save", "save_checkpoint", "save_pretrained", "save_model", "save_file",
                            "dump"}))
      continue;
    if (line.hits * steps < kFewestEvents) continue;
    return {{line.file, line.line, evidence.share(line.time.ns),
             predict(evidence.step_ns(), Part{line.time.ns, 0}, {0.1, 0.5}), Confidence::medium,
             fmt::format("Checkpoints are written {:.0f} times, {} each:{} takes {}.",
                         line.hits * steps, humane_time(line.time.ns / line.hits), cited(source),
                         of_a_step(evidence, line.time.ns)),
             "Save less often, or copy the state and save it in another thread "
             "(torch.distributed.checkpoint.async_save)"}};
  }
  return {};
}

}  // namespace

const Rule kCheckpoint{
    "checkpoint",
    "Checkpoints hold training up",
    "a line that saves ran at least twice within training.",
    "saving takes almost no time.",
    "Save less often. Or copy the state to the CPU and write it in another thread. Use a local "
    "disk, not a shared one.",
    "half to nine tenths of the time is saved.",
    find_checkpoint};

}  // namespace laptime
