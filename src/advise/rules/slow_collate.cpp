#include <fmt/format.h>

#include "advise/evidence/program_lines.h"
#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

constexpr double kLeastCollateShare = 0.2;  // of making a batch
constexpr double kNumbersASample = 4;       // a loop that runs more often handles single numbers
constexpr Range kByNumber{0.02, 0.3}, kBySample{0.1, 0.6};  // the share that remains

std::vector<Finding> find_slow_collate(const Evidence& evidence) {
  const LoaderSettings* loader = evidence.settings().training_loader();
  if (!loader) return {};
  const auto hot = hottest_line(evidence, loader->collate);
  if (!hot || hot->share < kLeastCollateShare) return {};
  const Part wait = evidence.host(HostCategory::input);
  const std::string source = evidence.source(hot->line.file, hot->line.line);
  const bool by_number =
      loader->batch && hot->per_batch >= kNumbersASample * static_cast<double>(*loader->batch);
  const double share = by_number ? hot->loop_share : hot->share;
  return {{hot->line.file, hot->line.line, evidence.share(wait.ns * share), std::nullopt,
           Confidence::medium,
           fmt::format("{} of making a batch is putting its samples together{}:{} in {}; steps "
                       "wait {} for batches.",
                       percent(share), by_number ? " number by number" : "", cited(source),
                       hot->line.function, of_a_step(evidence, wait.ns)),
           "Put samples together with one call for the batch: torch.stack, "
           "torch.nn.utils.rnn.pad_sequence, numpy.stack",
           batch_without(share, by_number ? kByNumber : kBySample)}};
}

}  // namespace

const Rule kSlowCollate{
    "slow-collate",
    "Putting samples together is slow",
    "one line of the program's own `collate_fn` takes at least a fifth of "
    "making a batch, and steps wait for batches.",
    "the collate function is torch's, or steps do not wait.",
    "Work on the batch, not on single samples: `torch.stack`, `pad_sequence`, one "
    "`torch.from_numpy(numpy.stack(…))`.",
    "40 to 90 % of the line's share of the wait is saved, or 70 to 98 % if a loop handles "
    "single numbers.",
    find_slow_collate};

}  // namespace laptime
