// Shares between the processes of a run how coarsely code must be timed. A process that starts
// later, such as a worker of a pool, begins with these levels.
//
// Demotions are appended to a file beside the parts of the recording. Contract: the file is
// bounded. What cannot be read or written is unknown, without any other effect.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "collect/python/code/code_record.h"

namespace laptime::python {

class LearntLevels {
 public:
  static LearntLevels& instance();

  // Level::lines if nothing is known. Opens the file from time to time, not for each call.
  Level level_of(const CodeRecord& record, std::uint64_t now, double ticks_per_second);
  void add(const CodeRecord& record) const;

 private:
  void read();

  std::unordered_map<std::uint64_t, Level> levels_;  // by identity
  std::uint64_t read_at_ = 0;
};

}  // namespace laptime::python
