#include "base/humane.h"

#include <fmt/format.h>
#include <cmath>

namespace laptime {

namespace {

struct Scale {
  double below;  // in units of the scale
  double factor;
  const char* unit;
};

// "1.23", "12.3", "123"
std::string three_digits(double number) {
  const double size = std::abs(number);
  // Compares the rounded number, so that 9.999 is "10.0" and not "10.00".
  if (size < 9.995) return fmt::format("{:.2f}", number);
  return size < 99.95 ? fmt::format("{:.1f}", number) : fmt::format("{:.0f}", number);
}

template <std::size_t N>
std::string scaled(double number, const Scale (&scales)[N]) {
  std::size_t i = 0;
  while (i + 1 < N && std::abs(number) / scales[i].factor >= scales[i].below) ++i;
  const double value = number / scales[i].factor;
  const bool whole = i == 0 && value == std::floor(value);
  return fmt::format("{} {}", whole ? fmt::format("{:.0f}", value) : three_digits(value),
                     scales[i].unit);
}

}  // namespace

std::string humane_time(double ns) {
  static constexpr Scale kScales[] = {{999.5, 1, "ns"},   {999.5, 1e3, "µs"},    {999.5, 1e6, "ms"},
                                      {119.95, 1e9, "s"}, {119.95, 60e9, "min"}, {0, 3600e9, "h"}};
  return scaled(ns, kScales);
}

std::string humane_bytes(double bytes) {
  static constexpr Scale kScales[] = {
      {999.5, 1, "B"}, {999.5, 1e3, "kB"}, {999.5, 1e6, "MB"}, {999.5, 1e9, "GB"}, {0, 1e12, "TB"}};
  return scaled(bytes, kScales);
}

std::string humane_count(std::int64_t count) {
  const std::string digits = fmt::format("{}", count);
  const std::size_t first = digits[0] == '-' ? 1 : 0;
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > first && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string humane_number(double number) {
  if (!std::isfinite(number) || number == 0) return fmt::format("{}", number);
  const double size = std::abs(number);
  if (size >= 1e7 || size < 1e-3) return fmt::format("{:.3g}", number);
  if (size < 1) return fmt::format("{:.3g}", number);
  return three_digits(number);
}

}  // namespace laptime
