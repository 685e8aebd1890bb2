// What a table calls a track: the thread's name, and the process as well where the run has several.
#pragma once

#include <string>

#include "analyze/table.h"
#include "model/run.h"

namespace laptime {

std::string thread_label(const Run& run, const Track& track);

// Whether a table adds threads up or gives each its own rows.
enum class Threads { together, apart };

// The threads that a row is summed over. Assumption: tracks are added in the order of Run::tracks.
class RowThreads {
 public:
  void add(std::uint32_t track) {
    threads_ += threads_ == 0 || last_ != track;
    last_ = track;
  }
  // The thread's name, or "3 threads"; where threads are added up, unknown if the run has counts of one thread only.
  Cell cell(const Run& run, Threads threads) const;

 private:
  std::uint32_t threads_ = 0, last_ = 0;  // how many, and which track of Run::tracks was the last
};

}  // namespace laptime
