#include "show/humane_cell.h"

#include <fmt/format.h>

#include "base/humane.h"

namespace laptime {

namespace {

double as_double(const Cell& cell) {
  if (const auto* i = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*i);
  return std::get<double>(cell);
}

}  // namespace

std::string humane_cell(const Cell& cell, Unit unit) {
  if (std::holds_alternative<std::monostate>(cell)) return "-";
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  switch (unit) {
    case Unit::ns:
      return humane_time(as_double(cell));
    case Unit::bytes:
      return humane_bytes(as_double(cell));
    case Unit::share:
      return fmt::format("{:.1f} %", as_double(cell) * 100);
    case Unit::per_second:
      return humane_number(as_double(cell)) + " /s";
    case Unit::factor:
      return fmt::format("{:.2f} ×", as_double(cell));
    case Unit::count:
    case Unit::none:
      break;
  }
  if (const auto* i = std::get_if<std::int64_t>(&cell))
    return unit == Unit::count ? humane_count(*i) : fmt::format("{}", *i);
  return humane_number(std::get<double>(cell));
}

}  // namespace laptime
