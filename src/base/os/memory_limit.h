// How much memory a reader may take. It is asked before a file's counts are believed.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace laptime {

// The least of what the machine has available, what is left in the control groups of this process,
// and what is left under its own limits (ulimit -v, -d). UINT64_MAX when none is known.
std::uint64_t available_memory();

// What is left in the control group that `membership` (the text of /proc/self/cgroup) names, and in
// those around it.
std::uint64_t cgroup_memory_left(const std::string& membership, const std::string& mount);

// The user's own limit, from --max-memory.
void set_max_memory(std::uint64_t bytes);
std::uint64_t max_memory();  // 0: no limit was set

// From now on an allocation beyond the limit throws std::bad_alloc instead of taking the machine's
// last memory. Where the user set no limit, a quarter of the available memory is left to others.
// For a process that only reads runs.
void hold_memory_to_limit();

// What reading one run takes, as an estimate made before each allocation. Files are small beside
// what they may promise: without --max-memory a run that takes far more memory than its size
// explains is refused.
class ReadBudget {
 public:
  // More of the run's files.
  void add_file(std::uint64_t bytes) { file_bytes_ += bytes; }
  // False, from the first time on that it does not fit.
  bool take(std::uint64_t bytes);
  bool exceeded() const { return exceeded_; }
  // Contract: exceeded().
  tl::unexpected<Error> refusal(const std::string& path) const;

 private:
  std::uint64_t proportional() const;

  std::uint64_t memory_ = 0;  // 0: not asked yet
  std::uint64_t file_bytes_ = 0;
  std::uint64_t used_ = 0;
  bool exceeded_ = false;
};

}  // namespace laptime
