// Table `lines`: time by source line. Rows by falling time.
//
// time_ns is inclusive, as in line_profiler. self_ns is unknown if the source of the times does not
// measure it. share is line_profiler's "% Time".
// A function that was too costly to time by line is one row at its first line. Its level is `call`
// (timed as a whole) or `count` (only calls counted; its times are from before).
// op_ns, backward_ns and gpu_ns cover only what was recorded. wait_ns has the waits for input with
// a known call site.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tables/run/columns.h"
#include "tables/run/thread_label.h"
#include "trace/analysis.h"
#include "trace/run/run.h"
#include "trace/steps/step_times.h"

namespace laptime {

enum class LineLevel { line, call, count };

struct LineTotals {
  std::uint32_t code;  // Run::codes
  std::uint32_t line;
  LineLevel level;
  std::uint64_t hits = 0, inclusive_ns = 0;
  std::optional<std::uint64_t> exclusive_ns;
  StepTimes::Summary steps;
  RowThreads threads;

  // False for the one row of a watched function that never ran.
  bool reached() const { return hits > 0 || inclusive_ns > 0; }
};

// Summed over processes and steps, by code and line. Threads are added up by default.
std::vector<LineTotals> sum_lines(const Analysis& analysis, Threads threads = Threads::together);

Table lines_table(const Analysis& analysis);
// One row for each line and thread.
Table lines_by_thread_table(const Analysis& analysis);
extern const TableDefinition kLinesTable;

}  // namespace laptime
