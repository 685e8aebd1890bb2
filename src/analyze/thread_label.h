// What a table calls a track: the thread's name, and the process as well where the run has several.
#pragma once

#include <string>

#include "analyze/table.h"
#include "model/run.h"

namespace laptime {

std::string thread_label(const Run& run, const Track& track);

// The threads that a row is summed over. Assumption: tracks are added in the order of Run::tracks.
class RowThreads {
 public:
  void add(std::uint32_t track) {
    threads_ += threads_ == 0 || last_ != track;
    last_ = track;
  }
  // The thread's name, or "3 threads"; unknown where the run has counts of one thread only.
  Cell cell(const Run& run) const;

 private:
  std::uint32_t threads_ = 0, last_ = 0;  // how many, and which track of Run::tracks was the last
};

}  // namespace laptime
