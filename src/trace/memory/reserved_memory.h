// Device memory held by a process's caching allocator over time, from the counter "cuda:0
// reserved". Reserved bytes that no block uses are fragmented or kept for later.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

class ReservedMemory {
 public:
  // `device`: string id of the device's name.
  ReservedMemory(const Run& run, std::uint32_t process, std::uint32_t device);

  // Nothing before the first value, or if the device has no values.
  std::optional<std::uint64_t> at(std::int64_t time_ns) const;
  // The maximum in [start, end).
  std::optional<std::uint64_t> most(std::int64_t start_ns, std::int64_t end_ns) const;

 private:
  struct Value {
    std::int64_t time_ns;
    std::uint64_t bytes;
  };
  std::vector<Value> values_;  // by time
};

}  // namespace laptime
