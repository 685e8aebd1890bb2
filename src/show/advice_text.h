// The table `advice` for people: sentences do not fit columns.
#pragma once

#include <string>
#include <string_view>

#include "analyze/table.h"
#include "show/terminal.h"

namespace laptime {

inline constexpr std::string_view kAdviceTable = "advice";

// The expected gain of a row, its interval and its bound: "1.40 × (1.27–1.54, at most 1.60)"; empty of a risk.
std::string gain_text(const Table& advice, const Row& row);

std::string advice_text(const Table& table, const TerminalStyle& style);

}  // namespace laptime
