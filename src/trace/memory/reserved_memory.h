// How much a process's caching allocator held of a device's memory over time: the value "cuda:0
// reserved". What it holds and no block uses is lost to fragmentation, or kept for later.
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

  // Nothing before it was first told; always nothing for devices of which it is not told.
  std::optional<std::uint64_t> at(std::int64_t time_ns) const;
  // The most that was held from `start` to before `end`.
  std::optional<std::uint64_t> most(std::int64_t start_ns, std::int64_t end_ns) const;

 private:
  struct Told {
    std::int64_t time_ns;
    std::uint64_t bytes;
  };
  std::vector<Told> told_;  // by time
};

}  // namespace laptime
