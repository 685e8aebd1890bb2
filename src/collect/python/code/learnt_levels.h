// What the processes of a run have learnt about each other's code: how coarsely it has to be timed.
// A process that starts later begins with it, as the workers of a pool do.
//
// A file beside the parts of the recording, to which demotions are appended. Contract: it is
// bounded; what cannot be read or written is not known, and nothing else happens.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "collect/python/code/code_record.h"

namespace laptime::python {

class LearntLevels {
 public:
  static LearntLevels& instance();

  // Level::lines where nothing is known. Opens the file now and then; not for each line.
  Level level_of(const CodeRecord& record, std::uint64_t now, double ticks_per_second);
  void add(const CodeRecord& record) const;

 private:
  void read();

  std::unordered_map<std::uint64_t, Level> levels_;  // by identity
  std::uint64_t read_at_ = 0;
};

}  // namespace laptime::python
