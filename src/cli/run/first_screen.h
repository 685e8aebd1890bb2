// The end of `laptime run`: the verdict in a sentence, then the steps, where a step goes, the lines
// that matter, what to change first, and what the recording cost. At most 25 lines of 100 columns;
// `laptime report` has the rest.
#pragma once

#include <string>

#include "show/terminal.h"
#include "trace/analysis.h"

namespace laptime {

inline constexpr std::size_t kFirstScreenLines = 25, kFirstScreenWidth = 100;

// `file`: as the user named the run. `style`: its width is at most kFirstScreenWidth.
std::string first_screen(const Analysis& analysis, const std::string& file, TerminalStyle style);

}  // namespace laptime
