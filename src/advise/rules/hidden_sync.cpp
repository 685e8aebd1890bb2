#include <fmt/format.h>
#include <algorithm>

#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"

namespace laptime {

namespace {

constexpr std::size_t kMostLines = 5;
constexpr const char* kFix =
    "Keep it on the GPU: total += loss.detach(), and .item(), .cpu() or print only every Nth step";

// With GPU records: the cost of a wait is the GPU's idle time after it.
std::vector<Finding> find_in_gpu(const Evidence& evidence) {
  const GpuSteps& gpu = evidence.gpu();
  double waits = 0;
  for (const StepSync& sync : gpu.syncs()) waits += sync.wait_ns;
  // A host that does not wait launches ahead. In the best case the GPU is never idle.
  const double busy = evidence.step_ns() - gpu.idle_ns();
  const std::optional<double> bound =
      busy > 0 ? std::optional(evidence.step_ns() / busy) : std::nullopt;
  std::vector<Finding> findings;
  for (const StepSync& sync : gpu.syncs()) {
    if (sync.file.empty() || findings.size() == kMostLines) continue;
    const Part part = gpu.part(DeviceCategory::idle_sync).scaled(sync.wait_ns / waits);
    replay::Changes changes;
    changes.no_waits.push_back(fmt::format("{}:{}", sync.file, sync.line));
    findings.push_back(
        {sync.file, sync.line, evidence.share(part.ns), std::nullopt, Confidence::medium,
         fmt::format("The program waits here for the GPU, {} a step and {} in all;{} leaves the "
                     "GPU idle {} until new work comes.",
                     counted(sync.waits, "time", "times"), humane_time(sync.wait_ns),
                     cited(evidence.source(sync.file, sync.line)), of_a_step(evidence, part.ns)),
         kFix, std::move(changes), bound});
  }
  return findings;
}

// Without GPU records: the waits of ops that return a number to Python are known, but not the GPU's
// work meanwhile.
std::vector<Finding> find_in_ops(const Evidence& evidence) {
  std::vector<Finding> findings;
  for (const StepOp& op : evidence.ops()) {
    if (op.name != "aten::_local_scalar_dense" || op.file.empty()) continue;
    findings.push_back(
        {op.file, op.line, evidence.share(op.self_ns),
         Gain{1, predict(evidence.step_ns(), Part{op.self_ns, 0}, {0, 0}).high}, Confidence::low,
         fmt::format(
             "A number is read from the GPU,{}: the program waits {} for it, and then "
             "the GPU waits for new work. Record the GPU (without --no-gpu) to see how long.",
             cited(evidence.source(op.file, op.line)), of_a_step(evidence, op.self_ns)),
         kFix});
  }
  return findings;
}

replay::Changes hidden_sync_in_general() {
  replay::Changes changes;
  changes.no_waits.push_back("*");
  return changes;
}

std::vector<Finding> find_hidden_sync(const Evidence& evidence) {
  if (evidence.knows_gpu()) return find_in_gpu(evidence);
  return evidence.settings().on_gpu() ? find_in_ops(evidence) : std::vector<Finding>{};
}

}  // namespace

const Rule kHiddenSync{
    "hidden-sync",
    "A line waits for the GPU",
    "lines of the program make it wait for the GPU in a step (`.item()`, `.cpu()`, printing a "
    "tensor, `if tensor:`). The GPU is idle after the wait, because no more work was launched.",
    "the GPU always has work, the wait is for a copy to the GPU (see pageable-copy), or nothing "
    "runs on a GPU. On a CPU `.item()` is free.",
    "Keep values as tensors on the GPU (`total += loss.detach()`), and read numbers only in "
    "every Nth step. Use `torch.where` instead of `if`.",
    "by a replay of the run in which the line does not wait. The replay includes what the "
    "program then does earlier, and what still waits: a copy that blocks, a full launch queue. "
    "Without GPU records the gain is between nothing and the whole wait.",
    find_hidden_sync,
    Meaning::kept,
    hidden_sync_in_general};

}  // namespace laptime
