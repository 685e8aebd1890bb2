// The table `advice` as text: its sentences do not fit into columns.
#pragma once

#include <string>
#include <string_view>

#include "show/terminal_style.h"
#include "tables/run/table.h"

namespace laptime {

inline constexpr std::string_view kAdviceTableName = "advice";

std::string advice_text(const Table& table, const TerminalStyle& style);

}  // namespace laptime
