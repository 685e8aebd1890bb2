#include "advise/evidence/rank_times.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace laptime {

namespace {

// Of the additional work of a rank: a line with this share is named.
constexpr double kStandsOut = 0.3;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

struct StepSums {
  double wall = 0, overlapped = 0, for_others = 0, above_mean = 0;
  std::size_t slowest = 0;
  std::vector<double> least_waits, excesses;

  // `own`: the index of the main phase's rank.
  void add(const std::vector<RankStep>& ranks, std::size_t own) {
    const auto count = static_cast<double>(ranks.size());
    double least = static_cast<double>(ranks[own].waiting_ns), waits = 0, works = 0, most = 0;
    std::vector<double> others;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const auto work = static_cast<double>(ranks[r].own_ns()),
                 wait = static_cast<double>(ranks[r].waiting_ns);
      least = std::min(least, wait);
      waits += wait / count;
      works += work / count;
      if (r == own) continue;
      others.push_back(work);
      most = std::max(most, work);
    }
    const auto work = static_cast<double>(ranks[own].own_ns());
    wall += static_cast<double>(ranks[own].step->step.wall_ns);
    overlapped += static_cast<double>(ranks[own].overlapped_ns);
    for_others += waits - least;
    above_mean += work - works;
    slowest += work > most;
    least_waits.push_back(least);
    if (!others.empty()) excesses.push_back(work - median(std::move(others)));
  }
};

using Line = std::pair<std::string, std::uint32_t>;

std::map<Line, double> own_times(const Evidence& evidence, const Rank& rank) {
  std::map<Line, double> times;
  for (const StepLine& line :
       lines_in_steps(evidence.analysis(), MainPhase(evidence.analysis(), rank.main_phase)))
    times[{line.file, line.line}] += line.self.ns;
  return times;
}

double mean_of(const Rank& rank, std::size_t category) {
  double sum = 0;
  for (const RankStep& step : rank.steps) sum += static_cast<double>(step.step->exposed[category]);
  return rank.steps.empty() ? 0 : sum / static_cast<double>(rank.steps.size());
}

void find_category(const RankTimes& times, MoreOf& more) {
  for (std::size_t c = 0; c < kHostCategories; ++c) {
    if (static_cast<HostCategory>(c) == HostCategory::communication) continue;
    std::vector<double> others;
    for (const Rank* rank : times.others) others.push_back(mean_of(*rank, c));
    const double ns = mean_of(*times.rank, c) - median(std::move(others));
    if (ns > more.category_ns) more.category = static_cast<HostCategory>(c), more.category_ns = ns;
  }
}

void find_line(const Evidence& evidence, const RankTimes& times, MoreOf& more) {
  std::vector<std::map<Line, double>> others;
  for (const Rank* rank : times.others) others.push_back(own_times(evidence, *rank));
  for (const auto& [line, own] : own_times(evidence, *times.rank)) {
    std::vector<double> theirs;
    for (const auto& lines : others) {
      const auto it = lines.find(line);
      theirs.push_back(it == lines.end() ? 0 : it->second);
    }
    const double ns = own - median(std::move(theirs));
    if (ns > std::max(more.line_ns, kStandsOut * times.excess.ns))
      more.file = line.first, more.line = line.second, more.line_ns = ns;
  }
}

}  // namespace

std::optional<RankTimes> measure_ranks(const Evidence& evidence) {
  const std::vector<Rank>& ranks = evidence.analysis().ranks();
  const PhaseKey main_phase{evidence.main_phase().track(), evidence.main_phase().phase()};
  const auto own = std::find_if(ranks.begin(), ranks.end(),
                                [&](const Rank& rank) { return rank.main_phase == main_phase; });
  if (own == ranks.end()) return std::nullopt;
  const auto steps = common_steps(ranks);
  if (steps.size() < kFewestRecordedSteps) return std::nullopt;
  StepSums sums;
  for (const auto& step : steps) sums.add(step, static_cast<std::size_t>(own - ranks.begin()));
  const auto count = static_cast<double>(steps.size());
  // Recorded steps take a little longer than others.
  const double scale = evidence.step_ns() * count / sums.wall, each = scale / count;
  RankTimes times;
  times.rank = &*own;
  for (const Rank& rank : ranks)
    if (&rank != times.rank) times.others.push_back(&rank);
  times.steps = steps.size();
  times.communication = mean_part(sums.least_waits).scaled(scale);
  times.overlapped_ns = sums.overlapped * each;
  times.for_others_ns = sums.for_others * each;
  times.above_mean_ns = sums.above_mean * each;
  times.excess = mean_part(sums.excesses).scaled(scale);
  times.excess_spread_ns = times.excess.error_ns * std::sqrt(count);
  times.slowest = static_cast<double>(sums.slowest) / count;
  return times;
}

MoreOf find_more(const Evidence& evidence, const RankTimes& times) {
  MoreOf more;
  find_category(times, more);
  find_line(evidence, times, more);
  return more;
}

}  // namespace laptime
