// A property that is a whole number; nothing where it is not there or is something else.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>

#include "model/run.h"

namespace laptime {

inline std::optional<std::int64_t> property_number(const Properties& properties, const char* key) {
  const auto it = properties.find(key);
  if (it == properties.end()) return std::nullopt;
  const std::string& text = it->second;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace laptime
