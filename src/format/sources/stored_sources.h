// Chooses the source texts that a sealed run keeps. A file that several processes recorded with the
// same text is stored once.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "format/facts.h"

namespace laptime {

class StoredSources {
 public:
  // The facts of one part without source texts that are stored already or do not fit.
  std::vector<Fact> take(const std::vector<Fact>& facts);
  // How many texts did not fit.
  std::uint64_t left_out() const { return left_out_; }

 private:
  bool keeps(std::string_view file, std::string_view stored);

  std::set<std::pair<std::string, std::string_view>> known_;
  std::size_t bytes_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace laptime
