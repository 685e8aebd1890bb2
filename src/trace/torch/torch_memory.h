// Allocations and releases in an interval of a process, as torch.profiler counts them. A release
// has the size of its allocation. Releases without a recorded allocation are left out.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

struct MemoryInstant {
  std::int64_t time_ns;  // since the interval's begin
  std::int64_t bytes;    // negative: released
  std::uint64_t address;
  std::uint32_t device;  // string id
  std::uint32_t track;
};

struct TorchMemory {
  std::vector<MemoryInstant> instants;  // by time
  // The same by instant_key, for code that walks a track's rows.
  std::unordered_map<std::uint64_t, std::int64_t> bytes;
};

inline bool is_memory_instant(SpanKind kind) {
  return kind == SpanKind::allocate || kind == SpanKind::release;
}
inline std::uint64_t instant_key(std::uint32_t track, std::uint32_t row) {
  return std::uint64_t{track} << 32 | row;
}

TorchMemory read_memory(const Run& run, std::uint32_t process, std::int64_t begin_ns,
                        std::int64_t end_ns);

}  // namespace laptime
