#include "trace/steps/recorded_part.h"

#include <fmt/format.h>
#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/humane.h"
#include "format/names.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

// After this time without the end of a step, a program counts as one without steps.
constexpr std::int64_t kWithoutSteps = 3'000'000'000;

// An interval in which the clock decides what is recorded. A process may have several, one after
// the other.
struct ByClock {
  std::int64_t begin, end;
  std::vector<Interval> recorded, rested;
};

struct Change {
  std::int64_t time;
  enum class To { recorded, rested, ended } to;
};

Change::To meaning(double value) {
  return value < 0 ? Change::To::ended : value == 0 ? Change::To::rested : Change::To::recorded;
}

// By process. Any thread may have written the value.
std::vector<std::vector<Change>> find_changes(const Run& run) {
  std::vector<std::vector<Change>> found(run.processes.size());
  const std::uint32_t name = run.strings.find(value_name::kOpsRecorded);
  if (name == StringTable::kNoString) return found;
  for (const Track& track : run.tracks)
    for (std::size_t i = 0; i < track.values.size(); ++i)
      if (track.values.name[i] == name)
        found[track.process].push_back({track.values.time[i], meaning(track.values.value[i])});
  for (std::vector<Change>& changes : found)
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change& a, const Change& b) { return a.time < b.time; });
  return found;
}

std::int64_t last_moment(const Run& run, std::size_t process) {
  std::int64_t last = 0;
  for (const Track& track : run.tracks) {
    if (track.process != process) continue;
    for (std::size_t row = 0; row < track.spans.size(); ++row)
      last = std::max(last, track.spans.end(row));
    if (track.values.size() > 0) last = std::max(last, track.values.time.back());
  }
  return last;
}

// In order. `changes`: by time.
std::vector<ByClock> find_parts(const std::vector<Change>& changes) {
  std::vector<ByClock> parts;
  bool open = false;
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
    const Interval interval{changes[i].time, changes[i + 1].time};
    if (changes[i].to == Change::To::ended) {
      open = false;
      continue;
    }
    if (!std::exchange(open, true)) parts.push_back({interval.start, interval.end, {}, {}});
    (changes[i].to == Change::To::recorded ? parts.back().recorded : parts.back().rested)
        .push_back(interval);
    parts.back().end = interval.end;
  }
  return parts;
}

// By process.
std::vector<std::vector<ByClock>> find_by_clock(const Run& run) {
  std::vector<std::vector<Change>> all = find_changes(run);
  std::vector<std::vector<ByClock>> found;
  for (std::vector<Change>& changes : all) {
    if (!changes.empty() && changes.back().to != Change::To::ended)
      changes.push_back(
          {last_moment(run, found.size()), Change::To::ended});  // the process was killed
    found.push_back(find_parts(changes));
  }
  return found;
}

// What the steps of one process state.
struct Stepping {
  std::vector<Interval> recorded, rested;

  bool is_known() const { return !recorded.empty() || !rested.empty(); }
};

// By process.
std::vector<Stepping> find_stepping(const Run& run, const std::vector<Step>& steps) {
  std::vector<Stepping> found(run.processes.size());
  for (const Step& step : steps) {
    if (step.ops == StepOps::unknown) continue;
    Stepping& process = found[run.tracks[step.track].process];
    (step.ops == StepOps::recorded ? process.recorded : process.rested)
        .push_back({step.start_ns, step.start_ns + step.wall_ns});
  }
  return found;
}

// Assumption: the end of a step ends the interval, so steps end near its begin, near its end, or
// outside of it.
bool counts(const ByClock& part, const Stepping& steps) {
  if (!steps.is_known()) return true;
  const std::int64_t length = part.end - part.begin, middle = part.begin + length / 2;
  std::int64_t later_ns = 0;
  bool is_before_all = true;
  for (const auto* const some : {&steps.recorded, &steps.rested})
    for (const Interval& step : *some) {
      is_before_all &= step.end > middle;
      if (step.start > middle) later_ns += step.end - step.start;
    }
  return length >= kWithoutSteps && (!is_before_all || length > later_ns);
}

struct RecordedTimes {
  std::vector<Interval> recorded, rested;
};

// The clock's intervals that count.
RecordedTimes counted_by_clock(const std::vector<ByClock>& parts, const Stepping& steps) {
  RecordedTimes counted;
  for (const ByClock& part : parts) {
    if (!counts(part, steps)) continue;
    counted.recorded.insert(counted.recorded.end(), part.recorded.begin(), part.recorded.end());
    counted.rested.insert(counted.rested.end(), part.rested.begin(), part.rested.end());
  }
  return counted;
}

// All other moments.
Intervals complement(const Intervals& of) {
  std::vector<Interval> rest;
  std::int64_t from = INT64_MIN;
  for (const Interval& part : of.parts()) {
    rest.push_back({from, part.start});
    from = part.end;
  }
  rest.push_back({from, INT64_MAX});
  return Intervals(std::move(rest));
}

// Of one process.
Intervals left_out_of(const std::vector<ByClock>& parts, const Stepping& steps) {
  RecordedTimes counted = counted_by_clock(parts, steps);
  if (!steps.is_known()) return Intervals(std::move(counted.rested));
  if (steps.rested.empty() && parts.empty()) return {};
  counted.recorded.insert(counted.recorded.end(), steps.recorded.begin(), steps.recorded.end());
  return complement(Intervals(std::move(counted.recorded)));
}

std::int64_t length_of(const std::vector<Interval>& intervals) {
  std::int64_t ns = 0;
  for (const Interval& interval : intervals) ns += interval.end - interval.start;
  return ns;
}

// "2 of 3 steps", or "".
std::string recorded_steps_text(const std::vector<Step>& steps, std::size_t left_out = 0) {
  std::size_t known = 0, recorded = 0;
  for (const Step& step : steps) {
    known += step.ops != StepOps::unknown;
    recorded += step.ops == StepOps::recorded;
  }
  return known == 0 ? ""
                    : fmt::format("{} of {} steps", recorded - std::min(left_out, recorded), known);
}

// "1.20 s of 12.3 s", or "".
std::string recorded_time_text(const Run& run, const std::vector<Step>& steps) {
  const std::vector<Stepping> stepping = find_stepping(run, steps);
  const std::vector<std::vector<ByClock>> by_clock = find_by_clock(run);
  std::int64_t recorded = 0, rested = 0;
  for (std::size_t process = 0; process < by_clock.size(); ++process) {
    const RecordedTimes counted = counted_by_clock(by_clock[process], stepping[process]);
    recorded += length_of(counted.recorded);
    rested += length_of(counted.rested);
  }
  return recorded == 0 ? ""
                       : fmt::format("{} of {}", humane_time(static_cast<double>(recorded)),
                                     humane_time(static_cast<double>(recorded + rested)));
}

}  // namespace

std::vector<Intervals> find_intervals_by_clock(const Run& run, const std::vector<Step>& steps) {
  const std::vector<Stepping> stepping = find_stepping(run, steps);
  std::vector<Intervals> found;
  for (const std::vector<ByClock>& process : find_by_clock(run))
    found.emplace_back(counted_by_clock(process, stepping[found.size()]).recorded);
  return found;
}

std::vector<Intervals> find_left_out(const Run& run, const std::vector<Step>& steps) {
  const std::vector<Stepping> stepping = find_stepping(run, steps);
  std::vector<Intervals> found;
  for (const std::vector<ByClock>& process : find_by_clock(run))
    found.push_back(left_out_of(process, stepping[found.size()]));
  return found;
}

std::vector<Intervals> find_left_out_of_gpu(const Run& run, const std::vector<Step>& steps) {
  std::vector<Intervals> found = find_left_out(run, steps);
  for (std::size_t process = 0; process < found.size(); ++process)
    if (!run.processes[process].properties.contains(property::kGpu)) found[process] = {};
  return found;
}

std::string from_recorded(const Run& run, const std::vector<Step>& steps) {
  const std::string by_steps = recorded_steps_text(steps), clock = recorded_time_text(run, steps);
  if (by_steps.empty() && clock.empty()) return "";
  return ", from " + by_steps + (by_steps.empty() || clock.empty() ? "" : " and ") + clock;
}

std::string from_recorded_steps(const std::vector<Step>& steps, std::size_t left_out) {
  const std::string by_steps = recorded_steps_text(steps, left_out);
  return by_steps.empty() ? "" : ", from " + by_steps;
}

}  // namespace laptime
