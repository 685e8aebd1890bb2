#include <fmt/format.h>
#include <algorithm>

#include "advise/evidence/dataset_chain.h"
#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"

namespace laptime {

namespace {

constexpr double kMostBytes = 1e9;  // that a cache may take
// Of the wait, with the work behind the cache, and where the rest of the pipeline is random.
constexpr Range kCached = {0.05, 0.6}, kLeftBeforeRandom = {0.1, 0.95};

using Chain = std::vector<const DatasetCall*>;

bool computes(const DatasetCall& call) {
  return call.method == "map" || call.method == "interleave";
}

// The last call whose result is the same in every epoch, if it computes: a cache belongs behind it.
Chain::const_iterator last_repeated(const Chain& chain) {
  Chain::const_iterator last = chain.end();
  for (auto it = chain.begin(); it != chain.end(); ++it) {
    const DatasetCall& call = **it;
    if (call.method == "shuffle" || call.method == "repeat" || call.random || call.python) break;
    if (computes(call)) last = it;
  }
  return last;
}

std::vector<Finding> find_tfdata_cache(const Evidence& evidence) {
  const Chain chain = dataset_chain(evidence.settings());
  if (chain.empty() || calls_method(chain, "cache") || !repeats(evidence, chain)) return {};
  const auto last = last_repeated(chain);
  if (last == chain.end() || !(*last)->elements || !(*last)->bytes) return {};
  const double bytes =
      static_cast<double>(*(*last)->elements) * static_cast<double>(*(*last)->bytes);
  if (bytes > kMostBytes) return {};
  const bool more_follows = std::any_of(std::next(last), chain.end(), [](const DatasetCall* call) {
    return computes(*call) || call->python;
  });
  const Part wait = evidence.host(HostCategory::input);
  return {
      {(*last)->file, (*last)->line, evidence.share(wait.ns),
       gain_of_cheaper_input(evidence, more_follows ? kLeftBeforeRandom : kCached),
       more_follows ? Confidence::low : Confidence::medium,
       fmt::format("`{}` makes the same elements again in every epoch, {} in all; steps wait {} "
                   "for batches.",
                   (*last)->method, humane_bytes(bytes), of_a_step(evidence, wait.ns)),
       fmt::format(".cache() behind this {}, before shuffle and random work", (*last)->method),
       std::nullopt, std::nullopt, "the processors no longer make batches meanwhile"}};
}

}  // namespace

const Rule kTfdataCache{
    "tfdata-cache",
    "A tf.data pipeline computes the same elements in every epoch",
    "steps wait for input, the data was read more than once, and no `cache` is in the pipeline. A "
    "`map` or `interleave` before any shuffle, random work or Python gives the same elements each "
    "time, and all of them take at most 1 GB.",
    "the function draws random numbers or calls Python, the number or the shape of the elements is "
    "unknown, there was one epoch only, or steps do not wait.",
    "Put `.cache()` behind the last stage that is the same in every epoch, before `shuffle` and "
    "random augmentation.",
    "5 to 60 % of the wait remains. If random or other work follows, 10 to 95 % remains, and "
    "confidence is low. At best the rest of the step is also faster by the number of CPUs, at most "
    "4 "
    "times, because making batches no longer takes them.",
    find_tfdata_cache};

}  // namespace laptime
