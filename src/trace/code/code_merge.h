// Codes that are one function to a reader: equal file, first line and name, whichever process or
// part recorded them.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

class MergedCodes {
 public:
  explicit MergedCodes(const Run& run);

  // The first row of Run::codes that is the same function.
  std::uint32_t operator[](std::uint32_t code) const {
    return code < first_.size() ? first_[code] : 0;
  }
  // CodeFlags of all that were merged into `code`, itself such a first row.
  std::uint32_t flags(std::uint32_t code) const { return flags_[code]; }

 private:
  std::vector<std::uint32_t> first_, flags_;  // by row of Run::codes
};

}  // namespace laptime
