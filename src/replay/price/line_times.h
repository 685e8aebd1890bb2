// The own Python of a line or a function in each step, from tallies. The program's own functions
// that it calls are left out.
//
// Tallies do not contain times of day. A line's function determines the part of a step in which it
// ran. Methods of a dataset (a class with __getitem__ or __iter__) and collate functions make
// batches. All others run between the ops of a step.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "replay/price/name_match.h"
#include "trace/run/run.h"
#include "trace/steps/steps.h"

namespace laptime::replay {

class LineTimes {
 public:
  // `steps`: all of the run. `line_share`: the recorder's share of each execution of a line.
  LineTimes(const Run& run, const std::vector<Step>& steps, const NameMatch& match,
            double line_share);

  // In the step, on its thread: between ops, and while the program itself makes a batch.
  std::int64_t in_step(const Step& step) const { return find(step_ns_, step); }
  std::int64_t in_input(const Step& step) const { return find(input_ns_, step); }
  // On the tracks of loader workers: processes without steps.
  std::int64_t in_workers(std::span<const std::uint32_t> tracks) const;
  bool any() const { return !step_ns_.empty() || !input_ns_.empty() || !worker_ns_.empty(); }

 private:
  using Key = std::pair<std::uint32_t, std::int64_t>;  // track, start of the step
  static std::int64_t find(const std::map<Key, std::int64_t>& times, const Step& step) {
    const auto it = times.find({step.track, step.start_ns});
    return it == times.end() ? 0 : it->second;
  }
  std::map<Key, std::int64_t> step_ns_, input_ns_;
  std::map<std::uint32_t, std::int64_t> worker_ns_;  // by track
};

}  // namespace laptime::replay
