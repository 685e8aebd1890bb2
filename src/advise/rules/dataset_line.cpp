#include <fmt/format.h>

#include "advise/evidence/program_lines.h"
#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

constexpr double kLeastOfBatch = 0.25;  // of making a batch, for a line to be named

std::vector<Finding> find_dataset_line(const Evidence& evidence) {
  const LoaderSettings* loader = evidence.settings().training_loader();
  if (!loader) return {};
  const auto hot = hottest_line(evidence, loader->getitem);
  if (!hot || hot->share < kLeastOfBatch) return {};
  const Part wait = evidence.host(HostCategory::input);
  const std::string source = evidence.source(hot->line.file, hot->line.line);
  return {{hot->line.file, hot->line.line, evidence.share(wait.ns * hot->share), std::nullopt,
           Confidence::medium,
           fmt::format("{} of making a batch is one line of {},{} done again for every sample of "
                       "every epoch; steps wait {} for batches.",
                       percent(hot->share), hot->line.function, cited(source),
                       of_a_step(evidence, wait.ns)),
           "Do it once, before training: keep decoded tensors in memory (torch.stack), or in a "
           "file that is mapped (numpy.load(…, mmap_mode=\"r\"))",
           batch_without(hot->share, {0.05, 0.5})}};
}

}  // namespace

const Rule kDatasetLine{
    "dataset-line",
    "Samples are read or decoded again in every epoch",
    "one line of the dataset's `__getitem__` (or `__iter__`) takes at least a quarter of making a "
    "batch, and steps wait for batches.",
    "workers hide the time: steps do not wait.",
    "Do work that is the same in every epoch only once: decode, resize and convert before "
    "training. Keep the result in memory or in a mapped file. Random work (augmentation) can be "
    "done on whole batches.",
    "half to nearly all of the line's share of the wait is saved.",
    find_dataset_line};

}  // namespace laptime
