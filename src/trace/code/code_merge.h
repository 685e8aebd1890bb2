// Merges codes that are the same function: equal file, first line and name, in any process or part.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

class MergedCodes {
 public:
  explicit MergedCodes(const Run& run);

  // Returns the first row of Run::codes that is the same function.
  std::uint32_t operator[](std::uint32_t code) const {
    return code < first_.size() ? first_[code] : 0;
  }
  // Returns the CodeFlags of all codes merged into `code`. Contract: `code` is such a first row.
  std::uint32_t flags(std::uint32_t code) const { return flags_[code]; }

 private:
  std::vector<std::uint32_t> first_, flags_;  // by row of Run::codes
};

}  // namespace laptime
