// Numbers for people: three digits and a suitable unit.
#pragma once

#include <cstdint>
#include <string>

namespace laptime {

std::string humane_time(double ns);
std::string humane_bytes(double bytes);
// With separators for thousands: 12,345,678.
std::string humane_count(std::int64_t count);
// Three digits, or more if the whole part has more. Very large and small numbers have an exponent.
std::string humane_number(double number);

}  // namespace laptime
