// The process's names, each once, numbered from 1. They outlive recordings, so that a static site
// keeps its number. A new part starts with all names known so far.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "format/facts.h"

namespace laptime::record {

// A program that makes names in a loop ("step 1", "step 2", …) must not fill its memory.
inline constexpr std::size_t kMaxNames = 1u << 20;
inline constexpr std::size_t kMaxNameBytes = 64u << 20;
inline constexpr std::size_t kLongestName = 4096;

class Names {
 public:
  struct Added {
    std::uint32_t id;
    bool is_new;
    bool refused;  // over the limits: id is that of "(other names)"
  };
  Added add(std::string_view text);
  std::vector<Fact> all() const;
  // Assumption: add() returned the id. The text stays valid.
  const char* text(std::uint32_t id) const { return texts_[id - 1].c_str(); }

 private:
  std::uint32_t insert(std::string_view text);

  std::deque<std::string>
      texts_;  // stable addresses: the map's keys and the facts are views of them
  std::unordered_map<std::string_view, std::uint32_t> ids_;
  std::size_t bytes_ = 0;
};

}  // namespace laptime::record
