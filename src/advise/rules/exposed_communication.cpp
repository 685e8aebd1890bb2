#include <fmt/format.h>
#include <algorithm>

#include "advise/evidence/rank_times.h"
#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"
#include "trace/gpu/kernel_names.h"

namespace laptime {

namespace {

// Of a step. The last bucket of gradients has nothing to overlap with, in any program.
constexpr double kLeastExposedShare = 0.1;
constexpr double kHardlyAny = 0.1;        // of all communication
constexpr double kWorthReporting = 0.02;  // of a step

// Whether something already sends gradients during backward.
bool has_wrapper(const StringTable& strings) {
  for (std::uint32_t id = 0; id < strings.size(); ++id)
    for (const std::string_view beginning : {"DistributedDataParallel.", "torch.distributed.ddp.",
                                             "FullyShardedDataParallel.", "FSDP::"})
      if (strings[id].starts_with(beginning)) return true;
  return false;
}

// The line that starts collectives by hand. For gradients sent in backward it would be the forward
// op's.
const StepOp* find_start(const Evidence& evidence) {
  const StepOp* found = nullptr;
  for (const StepOp& op : evidence.ops())
    if (is_collective(op.name) && !op.backward && !op.file.empty() &&
        (!found || op.total_ns > found->total_ns))
      found = &op;
  return found;
}

std::vector<Finding> find_exposed_communication(const Evidence& evidence) {
  const auto times = measure_ranks(evidence);
  if (!times || evidence.share(times->communication.ns) < kLeastExposedShare) return {};
  const double exposed = times->communication.ns, beside = times->overlapped_ns;
  std::string message =
      fmt::format("Communication without other work beside it takes {}; {} overlaps with work.",
                  of_a_step(evidence, exposed), humane_time(beside));
  if (evidence.share(times->for_others_ns) >= kWorthReporting)
    message += fmt::format(" Ranks wait {} more for each other, which is not counted.",
                           humane_time(times->for_others_ns));
  if (times->others.empty()) message += " It may wait for ranks that are not in this recording.";
  const bool by_hand =
      beside < kHardlyAny * (exposed + beside) && !has_wrapper(evidence.run().strings);
  const StepOp* start = by_hand ? find_start(evidence) : nullptr;
  return {{start ? start->file : "", start ? start->line : 0, evidence.share(exposed),
           predict(evidence.step_ns(), times->communication, {0, 0.9}),
           times->others.empty() ? Confidence::low : Confidence::medium, std::move(message),
           by_hand ? "model = DistributedDataParallel(model): it sends gradients in buckets while "
                     "backward computes the others, instead of after it"
                   : "Fewer bytes or fewer sends: a larger batch, model.no_sync() in all but the "
                     "last step that accumulates, "
                     "model.register_comm_hook(None, bf16_compress_hook), "
                     "DistributedDataParallel(…, gradient_as_bucket_view=True, bucket_cap_mb=…)"}};
}

}  // namespace

const Rule kExposedCommunication{
    "exposed-communication",
    "Steps wait for communication",
    "a step waits for collectives for at least 10 % of its time, on the host or on the GPU, "
    "while nothing is computed. Of several ranks, the wait of the rank that waits least counts. "
    "The others' longer waits are for that rank (straggler), or for each other in turns.",
    "ranks wait for a slower one, or fewer than 3 steps are known in all ranks.",
    "Let backward overlap with it. `DistributedDataParallel` sends gradients in buckets while "
    "the others are still computed. `bucket_cap_mb` sets their size, and "
    "`gradient_as_bucket_view=True` saves a copy. Or send less: use `with model.no_sync():` in "
    "all but the last step that accumulates gradients, or `model.register_comm_hook(None, "
    "bf16_compress_hook)` (torch.distributed.algorithms.ddp_comm_hooks.default_hooks) for half "
    "the bytes. A larger batch computes more between two sends.",
    "a tenth to all of the exposed communication is saved.",
    find_exposed_communication};

}  // namespace laptime
