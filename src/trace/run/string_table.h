// Strings of all parts of a run, each once. Id 0 is the empty string, which also stands for a name
// that a file uses but never gives.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace laptime {

class StringTable {
 public:
  StringTable() { add(""); }
  StringTable(StringTable&&) = default;
  StringTable& operator=(StringTable&&) = default;

  std::uint32_t add(std::string_view text) {
    if (const auto it = ids_.find(text); it != ids_.end()) return it->second;
    const auto id = static_cast<std::uint32_t>(texts_.size());
    ids_.emplace(texts_.emplace_back(text), id);
    return id;
  }
  std::string_view operator[](std::uint32_t id) const {
    return id < texts_.size() ? std::string_view(texts_[id]) : std::string_view();
  }
  // The text's id, or kNoString.
  std::uint32_t find(std::string_view text) const {
    const auto it = ids_.find(text);
    return it == ids_.end() ? kNoString : it->second;
  }
  static constexpr std::uint32_t kNoString = ~0u;
  std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string>
      texts_;  // keeps its elements where they are, so the keys below may point into it
  std::unordered_map<std::string_view, std::uint32_t> ids_;
};

}  // namespace laptime
