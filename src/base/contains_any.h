// Whether a text holds one of some words.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace laptime {

inline bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

}  // namespace laptime
