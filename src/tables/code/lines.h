// Table `lines`: time by source line; rows by falling time.
//
// time_ns is inclusive, as line_profiler gives it; self_ns is without what timed functions called
// from the line took, and unknown where a source does not know it. share is the line's part of its
// function's time (line_profiler's "% Time"). Where steps are known: the line's time a step, median
// and 95th percentile over all steps but warmup, and its time in warmup. A function that was too
// costly to time by line is one row at its first line: level `call` (timed as a whole) or `count`
// (calls counted; what time it has is from before). thread: whose it is, where several threads were
// timed. op_ns and backward_ns are what the ops took that belong to the line (attribution.h),
// forward and backward, in the steps whose ops were recorded; wait_ns the waits for input that say
// which line they were made from. gpu_ns is what GPUs did for the line, forward and backward, while
// they were recorded. Lines known from ops or GPU work alone are rows too, without hits and times.
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

  // False for the one row of a function that was watched and never ran.
  bool reached() const { return hits > 0 || inclusive_ns > 0; }
};

// Summed over processes, steps and, unless told otherwise, threads, by code and line.
std::vector<LineTotals> sum_lines(const Analysis& analysis, Threads threads = Threads::together);

Table lines_table(const Analysis& analysis);
// Each thread's own rows.
Table lines_by_thread_table(const Analysis& analysis);
extern const TableDefinition kLinesTable;

}  // namespace laptime
