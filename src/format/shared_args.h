// Lists of arguments that raw records refer to by number (RecordType::op), from the facts of a
// part.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/facts.h"

namespace laptime {

class SharedArgs {
 public:
  static constexpr std::uint32_t kMost = 0xFFFF;  // numbers from 1 to this

  std::uint32_t count() const { return static_cast<std::uint32_t>(lists_.size()); }
  void set(const ArgsFact& fact) {
    if (fact.id == 0 || fact.id > kMost) return;
    if (fact.id > lists_.size()) lists_.resize(fact.id);
    lists_[fact.id - 1] = fact.args;
  }
  // Empty if the number is unknown.
  std::span<const SharedArg> of(std::uint32_t id) const {
    if (id == 0 || id > lists_.size()) return {};
    return lists_[id - 1];
  }

 private:
  std::vector<std::vector<SharedArg>> lists_;
};

}  // namespace laptime
