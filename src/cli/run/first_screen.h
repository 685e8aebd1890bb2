// The screen at the end of `laptime run`: the verdict, the steps, a step by category, the important
// lines, the first advice, and the cost of recording. At most 25 lines of 100 columns; `laptime
// report` shows the rest.
#pragma once

#include <string>

#include "show/terminal.h"
#include "trace/analysis.h"

namespace laptime {

inline constexpr std::size_t kFirstScreenLines = 25, kFirstScreenWidth = 100;

// `file`: the run's name as the user gave it. `style`: its width is at most kFirstScreenWidth.
std::string first_screen(const Analysis& analysis, const std::string& file, TerminalStyle style);

}  // namespace laptime
