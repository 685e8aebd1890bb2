#include "analyze/recorded_part.h"

#include <algorithm>
#include <fmt/format.h>

#include "analyze/steps.h"
#include "base/humane.h"

namespace laptime {

namespace {

// One process's time by the clock. A process may have had several clocks, one after the other.
struct ByClock {
  std::vector<Stretch> recorded, rested;
};

struct Change {
  std::int64_t time;
  enum class To { recorded, rested, ended } to;
};

Change::To meaning(double value) { return value < 0 ? Change::To::ended : value == 0 ? Change::To::rested : Change::To::recorded; }

// By process, whichever threads wrote the value down.
std::vector<std::vector<Change>> find_changes(const Run& run) {
  std::vector<std::vector<Change>> found(run.processes.size());
  const std::uint32_t name = run.strings.find("ops recorded");
  if (name == StringTable::kNoString) return found;
  for (const Track& track : run.tracks)
    for (std::size_t i = 0; i < track.values.size(); ++i)
      if (track.values.name[i] == name) found[track.process].push_back({track.values.time[i], meaning(track.values.value[i])});
  for (std::vector<Change>& changes : found)
    std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
  return found;
}

std::int64_t last_moment(const Run& run, std::size_t process) {
  std::int64_t last = 0;
  for (const Track& track : run.tracks) {
    if (track.process != process) continue;
    for (std::size_t row = 0; row < track.spans.size(); ++row) last = std::max(last, track.spans.end(row));
    if (track.values.size() > 0) last = std::max(last, track.values.time.back());
  }
  return last;
}

std::vector<ByClock> find_by_clock(const Run& run) {
  std::vector<std::vector<Change>> all = find_changes(run);
  std::vector<ByClock> found(all.size());
  for (std::size_t process = 0; process < all.size(); ++process) {
    std::vector<Change>& changes = all[process];
    if (!changes.empty() && changes.back().to != Change::To::ended) changes.push_back({last_moment(run, process), Change::To::ended});  // it was killed
    for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
      const Stretch stretch{changes[i].time, changes[i + 1].time};
      if (changes[i].to == Change::To::recorded) found[process].recorded.push_back(stretch);
      if (changes[i].to == Change::To::rested) found[process].rested.push_back(stretch);
    }
  }
  return found;
}

// By process: whether its steps say what was recorded.
std::vector<bool> find_stepping(const Run& run, const std::vector<Step>& steps) {
  std::vector<bool> found(run.processes.size());
  for (const Step& step : steps)
    if (step.ops != StepOps::not_told) found[run.tracks[step.track].process] = true;
  return found;
}

std::int64_t length_of(const std::vector<Stretch>& stretches) {
  std::int64_t ns = 0;
  for (const Stretch& stretch : stretches) ns += stretch.end - stretch.start;
  return ns;
}

// "2 of 3 steps", or "".
std::string told_by_steps(const std::vector<Step>& steps) {
  std::size_t told = 0, recorded = 0;
  for (const Step& step : steps) {
    told += step.ops != StepOps::not_told;
    recorded += step.ops == StepOps::recorded;
  }
  return told == 0 ? "" : fmt::format("{} of {} steps", recorded, told);
}

// "1.20 s of 12.3 s" of processes without steps, or "".
std::string told_by_clock(const Analysis& analysis) {
  const std::vector<bool> stepping = find_stepping(analysis.run(), analysis.steps());
  const std::vector<ByClock> by_clock = find_by_clock(analysis.run());
  std::int64_t recorded = 0, rested = 0;
  for (std::size_t process = 0; process < by_clock.size(); ++process) {
    if (stepping[process]) continue;
    recorded += length_of(by_clock[process].recorded);
    rested += length_of(by_clock[process].rested);
  }
  return recorded == 0 ? "" : fmt::format("{} of {}", humane_time(static_cast<double>(recorded)), humane_time(static_cast<double>(recorded + rested)));
}

}  // namespace

std::vector<Stretches> find_stretches_by_clock(const Analysis& analysis) {
  std::vector<Stretches> found;
  const std::vector<bool> steps = find_stepping(analysis.run(), analysis.steps());
  for (ByClock& process : find_by_clock(analysis.run())) found.emplace_back(steps[found.size()] ? std::vector<Stretch>() : std::move(process.recorded));
  return found;
}

std::vector<Stretches> find_left_out(const Run& run, const std::vector<Step>& steps) {
  const std::vector<bool> stepping = find_stepping(run, steps);
  const std::vector<Stretches> rested_steps = find_rested_steps(run, steps);
  std::vector<ByClock> by_clock = find_by_clock(run);
  std::vector<Stretches> found;
  for (std::size_t process = 0; process < by_clock.size(); ++process) {
    std::vector<Stretch> all = std::move(by_clock[process].rested);
    const auto add = [&all](const std::vector<Stretch>& more) { all.insert(all.end(), more.begin(), more.end()); };
    add(rested_steps[process].parts());
    if (stepping[process]) add(by_clock[process].recorded);
    found.emplace_back(std::move(all));
  }
  return found;
}

std::vector<Stretches> find_left_out_of_gpu(const Run& run, const std::vector<Step>& steps) {
  std::vector<Stretches> found = find_left_out(run, steps);
  for (std::size_t process = 0; process < found.size(); ++process)
    if (!run.processes[process].properties.contains("gpu")) found[process] = {};
  return found;
}

std::string from_recorded(const Analysis& analysis) {
  const std::string steps = told_by_steps(analysis.steps()), clock = told_by_clock(analysis);
  if (steps.empty() && clock.empty()) return "";
  return ", from " + steps + (steps.empty() || clock.empty() ? "" : " and ") + clock;
}

}  // namespace laptime
