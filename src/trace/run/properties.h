// Properties of a run, a process or a device, by key. docs/records.md lists the keys.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "format/names.h"

namespace laptime {

using Property = std::variant<std::string, std::int64_t, double>;
using Properties = std::map<std::string, Property, std::less<>>;

// A number: a whole one unless `Number` is a real type. Nothing if it is missing or something else.
template <typename Number = std::int64_t>
std::optional<Number> property_number(const Properties& properties, std::string_view key) {
  const auto it = properties.find(key);
  if (it == properties.end()) return std::nullopt;
  if (const auto* const integer = std::get_if<std::int64_t>(&it->second))
    return static_cast<Number>(*integer);
  if constexpr (std::is_floating_point_v<Number>)
    if (const auto* const real = std::get_if<double>(&it->second)) return *real;
  return std::nullopt;
}

// A cost (property::kHooksNs …), summed over frameworks. Nothing if no framework has it.
inline std::optional<std::int64_t> framework_cost(const Properties& properties,
                                                  std::string_view cost) {
  std::optional<std::int64_t> sum;
  for (const std::string_view prefix : property::kFrameworkPrefixes)
    if (const auto ns = property_number(properties, std::string(prefix).append(cost)))
      sum = sum.value_or(0) + *ns;
  return sum;
}

// A text; empty if it is missing or a number.
inline std::string_view property_text(const Properties& properties, std::string_view key) {
  const auto it = properties.find(key);
  const auto* const text = it == properties.end() ? nullptr : std::get_if<std::string>(&it->second);
  return text ? std::string_view(*text) : std::string_view();
}

}  // namespace laptime
