// The table `advice` for people: sentences do not fit columns.
#pragma once

#include <string>
#include <string_view>

#include "show/terminal_style.h"
#include "tables/run/table.h"

namespace laptime {

inline constexpr std::string_view kAdviceTable = "advice";

std::string advice_text(const Table& table, const TerminalStyle& style);

}  // namespace laptime
