#include "record/names.h"

namespace laptime::record {

std::uint32_t Names::insert(std::string_view text) {
  const std::string& kept = texts_.emplace_back(text);
  const auto id = static_cast<std::uint32_t>(texts_.size());
  ids_.emplace(kept, id);
  bytes_ += text.size();
  return id;
}

Names::Added Names::add(std::string_view text) {
  text = text.substr(0, kLongestName);
  if (const auto it = ids_.find(text); it != ids_.end()) return {it->second, false, false};
  if (texts_.size() < kMaxNames && bytes_ + text.size() <= kMaxNameBytes)
    return {insert(text), true, false};
  constexpr std::string_view kOther = "(other names)";
  if (const auto it = ids_.find(kOther); it != ids_.end()) return {it->second, false, true};
  return {insert(kOther), true, true};
}

std::vector<Fact> Names::all() const {
  std::vector<Fact> facts;
  std::uint32_t id = 0;
  for (const std::string& text : texts_) facts.push_back(StringFact{++id, text});
  return facts;
}

}  // namespace laptime::record
