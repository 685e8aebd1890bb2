// A property that is a number: a whole one unless `Number` is a real type. Nothing if it is missing
// or something else.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>

#include "trace/run/run.h"

namespace laptime {

template <typename Number = std::int64_t>
std::optional<Number> property_number(const Properties& properties, const char* key) {
  const auto it = properties.find(key);
  if (it == properties.end()) return std::nullopt;
  const std::string& text = it->second;
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace laptime
