#include <fmt/format.h>
#include <algorithm>

#include "advise/evidence/dataset_chain.h"
#include "advise/rules.h"
#include "advise/words.h"

namespace laptime {

namespace {

bool is_python(const DatasetCall* call) { return call->python || call->method == "from_generator"; }

std::vector<Finding> find_py_function(const Evidence& evidence) {
  const std::vector<const DatasetCall*> chain = dataset_chain(evidence.settings());
  const auto python = std::find_if(chain.begin(), chain.end(), is_python);
  // Behind a cache it runs in the first epoch only.
  if (python == chain.end() ||
      std::any_of(python, chain.end(), [](const auto* call) { return call->method == "cache"; }))
    return {};
  const bool generates = (*python)->method == "from_generator";
  const Part wait = evidence.host(HostCategory::input);
  return {{(*python)->file, (*python)->line, evidence.share(wait.ns),
           gain_of_cheaper_input(evidence, {0.05, 0.8}), Confidence::low,
           fmt::format("Batches are made by Python, one element at a time and one thread at a time "
                       "({}); steps wait {} for them.",
                       generates ? "from_generator" : "py_function", of_a_step(evidence, wait.ns)),
           generates ? "Yield whole batches, or read arrays with from_tensor_slices and files with "
                       "TFRecordDataset"
                     : "Write the function with TensorFlow's ops, or call Python once for a whole "
                       "batch: .batch(…) before .map(…)",
           std::nullopt, std::nullopt, "the processors no longer make batches meanwhile"}};
}

}  // namespace

const Rule kPyFunction{
    "py-function",
    "A tf.data pipeline calls Python for every element",
    "steps wait for input, and the pipeline has a `py_function`, a `numpy_function` or a "
    "`from_generator`. Only one thread runs Python at a time, also with `num_parallel_calls`.",
    "steps do not wait, or a `cache` follows.",
    "Use TensorFlow's ops. Or call Python once for a whole batch. If Python must read single "
    "samples, read them once and keep them in a file or in memory.",
    "5 to 80 % of the wait remains. What the function's work takes in TensorFlow's ops was not "
    "measured, so confidence is low. At best the rest of the step is also faster by the number of "
    "CPUs, at most 4 times, because making batches no longer takes them.",
    find_py_function};

}  // namespace laptime
