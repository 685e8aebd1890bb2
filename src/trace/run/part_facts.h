// What one part says about itself, with its strings and codes entered into the run's tables.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

// From a part's own numbers to the run's; numbers that the part never explained give 0, the empty
// string or unknown code.
class IdMap {
 public:
  std::uint32_t operator[](std::uint64_t id) const {
    return id < ids_.size() ? ids_[static_cast<std::size_t>(id)] : 0;
  }
  // False, and nothing done, when the number is larger than any recorder's, or its table larger
  // than the budget.
  bool set(std::uint32_t id, std::uint32_t to, ReadBudget& budget);

 private:
  std::vector<std::uint32_t> ids_;
};

struct PartFacts {
  IdMap names, codes, frames, call_sites, launch_configs;
  std::map<std::uint32_t, TrackFact> tracks;
  Properties properties;
  std::map<Device, Properties> devices;
  std::vector<ClockFact> clock;
};

PartFacts read_facts(const PartContent& part, Run& run, ReadBudget& budget);

}  // namespace laptime
