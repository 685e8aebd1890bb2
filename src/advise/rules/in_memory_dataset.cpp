#include <fmt/format.h>
#include <algorithm>

#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

// Selecting a batch from a tensor at once takes this share of collecting and stacking single
// samples.
constexpr Range kLeft{0.02, 0.2};

// The program's own sampler selects the samples of this process, so it is kept.
std::string whole_batches(const LoaderSettings& loader) {
  if (loader.sampler.empty())
    return "for rows in torch.randperm(len(x)).split(batch_size): batch = x[rows], y[rows]";
  return fmt::format(
      "DataLoader(dataset, batch_size=None, sampler=BatchSampler(sampler, {}, drop_last=False)), "
      "where sampler is the {} that it has",
      *loader.batch, loader.sampler);
}

replay::Changes in_memory_dataset_in_general() {
  replay::Changes changes;
  changes.input_free = true;
  return changes;
}

std::vector<Finding> find_in_memory_dataset(const Evidence& evidence) {
  const LoaderSettings* loader = evidence.settings().training_loader();
  if (!loader || loader->dataset != "TensorDataset" || !loader->made_by.empty() ||
      loader->batch.value_or(1) < 2)
    return {};
  const Part wait = evidence.host(HostCategory::input);
  return {{loader->file, loader->line, evidence.share(wait.ns), std::nullopt, Confidence::medium,
           fmt::format("The dataset is tensors in memory, but the loader takes {} samples "
                       "one by one and stacks them: {}.",
                       *loader->batch, of_a_step(evidence, wait.ns)),
           whole_batches(*loader), shrunk(category_name(HostCategory::input), kLeft)}};
}

}  // namespace

const Rule kInMemoryDataset{
    "in-memory-dataset",
    "Tensors in memory are read one sample at a time",
    "the training loader reads a `TensorDataset`, and steps wait for their batch.",
    "the wait is short, or a framework makes the loader.",
    "Index whole batches: `for rows in torch.randperm(len(x)).split(batch_size): batch = "
    "x[rows], y[rows]`. On a GPU keep `x` and `y` there. To keep the loader: "
    "`DataLoader(dataset, batch_size=None, sampler=BatchSampler(RandomSampler(dataset), "
    "batch_size, drop_last=False))`. The program's own sampler (`DistributedSampler`) replaces "
    "`RandomSampler`.",
    "2 to 20 % of the wait remains.",
    find_in_memory_dataset,
    Meaning::kept,
    in_memory_dataset_in_general};

}  // namespace laptime
