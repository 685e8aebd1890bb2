// Process and thread numbers for a trace. The real ones where they are unique and viewers take
// them, else made-up ones above any that a kernel gives: thread ids come again when threads come
// and go, and imported runs may have none.
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
  // For a track that only the trace has.
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
