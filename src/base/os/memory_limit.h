// How much memory a reader may take. Checked before a file's counts are trusted.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace laptime {

// The minimum of three values: the machine's available memory, the rest in this process's control
// groups, and the rest under its own limits (ulimit -v, -d). UINT64_MAX if none is known.
std::uint64_t available_memory();

// The rest in the control group that `membership` (the text of /proc/self/cgroup) names, and in its
// outer groups.
std::uint64_t cgroup_memory_left(const std::string& membership, const std::string& mount);

// The user's own limit, from --max-memory.
void set_max_memory(std::uint64_t bytes);
std::uint64_t max_memory();  // 0: no limit was set

// From now on an allocation beyond the limit throws std::bad_alloc instead of exhausting the
// machine's memory. Without a user's limit, a quarter of the available memory is left to other
// processes. Only for a process that reads runs.
void hold_memory_to_limit();

// The memory for reading one run, estimated before each allocation. A small file may claim a large
// content. So without --max-memory, a run that takes far more memory than its size explains is
// refused.
class ReadBudget {
 public:
  // Adds another file of the run.
  void add_file(std::uint64_t bytes) { file_bytes_ += bytes; }
  // False from the first request on that does not fit.
  bool take(std::uint64_t bytes);
  bool exceeded() const { return exceeded_; }
  // Contract: exceeded().
  tl::unexpected<Error> refusal(const std::string& path) const;

 private:
  std::uint64_t proportional() const;

  std::uint64_t memory_ = 0;  // 0: not queried yet
  std::uint64_t file_bytes_ = 0;
  std::uint64_t used_ = 0;
  bool exceeded_ = false;
};

}  // namespace laptime
