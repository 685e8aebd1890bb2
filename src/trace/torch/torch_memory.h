// The allocations and releases of an interval of a process, as torch.profiler counts them: a
// release's size is that of the allocation it ends, and one of a block that was never seen is left
// out.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

struct MemoryInstant {
  std::int64_t time_ns;  // since the interval's begin
  std::int64_t bytes;    // negative: given back
  std::uint64_t address;
  std::uint32_t device;  // string id
  std::uint32_t track;
};

struct TorchMemory {
  std::vector<MemoryInstant> instants;  // by time
  std::unordered_map<std::uint64_t, std::int64_t>
      bytes;  // by instant_key: the same, for who walks a track's rows
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
