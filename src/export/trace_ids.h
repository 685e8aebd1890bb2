// Process and thread numbers of a trace. They are the real ones if these are unique and viewers
// accept them. Else they are above all numbers of a kernel. Thread ids are reused when threads end,
// and imported runs may have none.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

class TraceIds {
 public:
  explicit TraceIds(const Run& run) {
    for (const Process& process : run.processes) pids_.push_back(take(process.pid));
    taken_.clear();
    for (const Track& track : run.tracks)
      tids_.push_back(take(track.kind == TrackKind::thread ? track.os_id : 0));
  }
  std::uint64_t pid(std::uint32_t process) const { return pids_[process]; }
  std::uint64_t tid(std::size_t track) const { return tids_[track]; }
  // For a track that exists only in the trace.
  std::uint64_t new_tid() { return next_++; }

 private:
  static constexpr std::uint64_t kFirstMadeUp = 1u << 24;  // Linux numbers end at 1 << 22

  std::uint64_t take(std::uint64_t wish) {
    if (wish > 0 && wish < kFirstMadeUp && taken_.insert(wish).second) return wish;
    return next_++;
  }

  std::set<std::uint64_t> taken_;
  std::uint64_t next_ = kFirstMadeUp;
  std::vector<std::uint64_t> pids_, tids_;
};

}  // namespace laptime
