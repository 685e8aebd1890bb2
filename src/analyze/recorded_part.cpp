#include "analyze/recorded_part.h"

#include <fmt/format.h>

#include "analyze/steps.h"
#include "base/humane.h"

namespace laptime {

namespace {

// One process's time by the clock, from the value's first to its last.
struct ByClock {
  std::vector<Stretch> recorded, rested;
};

std::vector<ByClock> find_by_clock(const Run& run) {
  std::vector<ByClock> found(run.processes.size());
  const std::uint32_t name = run.strings.find("ops recorded");
  for (const Track& track : run.tracks) {
    ByClock& clock = found[track.process];
    std::optional<std::pair<std::int64_t, bool>> since;  // when it changed last, and whether it is recorded from then on
    const auto until = [&](std::int64_t time) {
      if (since) (since->second ? clock.recorded : clock.rested).push_back({since->first, time});
    };
    for (std::size_t i = 0; i < track.values.size(); ++i) {
      if (track.values.name[i] != name) continue;
      until(track.values.time[i]);
      since = {track.values.time[i], track.values.value[i] != 0};
    }
    if (since && since->second) until(run.end_ns);  // the program was killed
  }
  return found;
}

std::int64_t length_of(const std::vector<Stretch>& stretches) {
  std::int64_t ns = 0;
  for (const Stretch& stretch : stretches) ns += stretch.end - stretch.start;
  return ns;
}

std::string from_stretches_by_clock(const Run& run) {
  std::int64_t recorded = 0, rested = 0;
  for (const ByClock& process : find_by_clock(run)) {
    recorded += length_of(process.recorded);
    rested += length_of(process.rested);
  }
  return recorded == 0 ? "" : fmt::format(", from {} of {}", humane_time(static_cast<double>(recorded)), humane_time(static_cast<double>(recorded + rested)));
}

}  // namespace

std::vector<Stretches> find_stretches_by_clock(const Run& run) {
  std::vector<Stretches> found;
  for (ByClock& process : find_by_clock(run)) found.emplace_back(std::move(process.recorded));
  return found;
}

std::vector<Stretches> find_rested(const Analysis& analysis) {
  std::vector<Stretches> found;
  std::vector<ByClock> by_clock = find_by_clock(analysis.run());
  const std::vector<Stretches> steps = find_rested_steps(analysis.run(), analysis.steps());
  for (std::size_t process = 0; process < by_clock.size(); ++process) {
    std::vector<Stretch>& rested = by_clock[process].rested;
    rested.insert(rested.end(), steps[process].parts().begin(), steps[process].parts().end());
    found.emplace_back(std::move(rested));
  }
  return found;
}

std::string from_recorded(const Analysis& analysis) {
  std::size_t told = 0, recorded = 0;
  for (const Step& step : analysis.steps()) {
    told += step.ops != StepOps::not_told;
    recorded += step.ops == StepOps::recorded;
  }
  return told == 0 ? from_stretches_by_clock(analysis.run()) : fmt::format(", from {} of {} steps", recorded, told);
}

}  // namespace laptime
