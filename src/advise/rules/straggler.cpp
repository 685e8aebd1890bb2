#include <fmt/format.h>

#include "advise/evidence/rank_times.h"
#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"

namespace laptime {

namespace {

constexpr double kMostSteps = 0.75;         // by chance, one of two ranks is slower in half of them
constexpr double kLeastExcessShare = 0.05;  // of a step
constexpr double kErrors = 3;
constexpr double kErrorsOfGain = 2;

std::string name_of(const Evidence& evidence, const Rank& rank) {
  return rank.number
             ? fmt::format("Rank {}", *rank.number)
             : fmt::format("The rank with pid {}", evidence.run().processes[rank.process].pid);
}

Gain gain_of(const Evidence& evidence, const RankTimes& times) {
  const double step = evidence.step_ns(), error = kErrorsOfGain * times.excess.error_ns;
  Gain gain =
      predict(step, Range{step - times.excess.ns - error, step - times.above_mean_ns + error});
  gain.likely = predict(step, Range{step - times.above_mean_ns, step - times.above_mean_ns}).low;
  return gain;
}

std::vector<Finding> find_straggler(const Evidence& evidence) {
  const auto times = measure_ranks(evidence);
  if (!times || times->others.empty() || times->steps < kFewestSteps) return {};
  const double excess = times->excess.ns;
  if (times->slowest < kMostSteps || evidence.share(excess) < kLeastExcessShare ||
      excess < kErrors * times->excess.error_ns || excess < times->excess_spread_ns)
    return {};
  const MoreOf more = find_more(evidence, *times);
  const std::string source = more.file.empty() ? "" : evidence.source(more.file, more.line);
  const std::string line =
      more.file.empty()
          ? ""
          : fmt::format("; of lines{}, {}",
                        cited(source.empty() ? fmt::format("{}:{}", more.file, more.line) : source),
                        humane_time(more.line_ns));
  return {
      {more.file, more.line, evidence.share(excess), gain_of(evidence, *times), Confidence::high,
       fmt::format("{} has {} more work of its own in a step ({}) than {}, and most of all in {} "
                   "of {} steps, in which it is waited for. What it does more of is {}, {}{}.",
                   name_of(evidence, *times->rank), humane_time(excess),
                   percent(evidence.share(excess)),
                   times->others.size() == 1 ? "the other" : "the median of the others",
                   percent(times->slowest), times->steps, category_name(more.category),
                   humane_time(more.category_ns), line),
       "Give every rank the same work: equal batches and equal data on each; what one rank alone "
       "must do (logs, checkpoints, metrics) outside the steps or less often"}};
}

}  // namespace

const Rule kStraggler{
    "straggler",
    "One rank is slower than the others, which wait for it",
    "one of several processes that train together has more own work than the median of the "
    "others. Own work is a step without its wait for communication. In at least three quarters "
    "of the steps it has the most of all. It has at least 5 % of a step more, and more than it "
    "varies between steps.",
    "ranks take turns at being slowest, or fewer than 10 steps of all of them are recorded.",
    "The finding names the category of the breakdown and the line in which the rank differs "
    "most. Use equal batches on every rank (`DistributedSampler(drop_last=True)`, samples "
    "sorted by length). Avoid extra work in the steps of rank 0. Use the same processors and "
    "disks for all.",
    "the step takes the mean work of all ranks; at best the median work of the others.",
    find_straggler};

}  // namespace laptime
