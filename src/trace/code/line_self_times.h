// Self times of lines, from tallies.
#pragma once

#include <cstdint>
#include <utility>

#include "trace/code/code_merge.h"
#include "trace/run/run.h"

namespace laptime {

using CodeLine = std::pair<std::uint32_t, std::uint32_t>;  // a first row of MergedCodes, line

// Calls take(step, line, self time in ns) for each line tally of a track. `step` is the tally's own
// number. A code that is timed as a whole counts as its first line. Contract: knows_line_self_times
// is true for the track's process.
template <typename Take>
void visit_line_self_times(const Run& run, const MergedCodes& merged, const TallyColumns& rows,
                           Take take) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.kind[i] != TallyKind::line) continue;
    const std::uint32_t code = merged[rows.code[i]];
    take(rows.step[i],
         CodeLine{code, rows.where[i] != 0 ? rows.where[i] : run.codes[code].first_line},
         static_cast<double>(rows.exclusive[i]));
  }
}

}  // namespace laptime
