// Numbers as people read them: three digits and a unit that fits.
#pragma once

#include <cstdint>
#include <string>

namespace laptime {

std::string humane_time(double ns);
std::string humane_bytes(double bytes);
// With thousands separated: 12,345,678.
std::string humane_count(std::int64_t count);
// Three digits and more where the whole part has them; very large and small numbers with an
// exponent.
std::string humane_number(double number);

}  // namespace laptime
