// Compares two runs of a program: whether steps became faster or slower, and what changed.
//
// A verdict needs an interval that excludes 1 and a difference over kNegligible. Tables are aligned
// by names, not by position: a line by its file's name, its function and its text. So code above a
// line may change.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bootstrap.h"
#include "tables/run/columns.h"
#include "trace/analysis.h"

namespace laptime {

enum class Verdict { unknown, no_difference, faster, slower };

struct PhaseChange {
  std::string phase;
  std::size_t steps_a, steps_b;  // without warmup and compilation
  std::optional<std::int64_t> median_a, median_b;
  std::optional<RatioInterval> times;  // B's step time divided by A's
  Verdict verdict;
};

// By phase. Phases of both runs come first.
std::vector<PhaseChange> compare_steps(const Analysis& a, const Analysis& b);

// Whether a phase became slower by more than `limit` (0.05: 5 %), with statistical significance.
bool is_over(const std::vector<PhaseChange>& changes, double limit);

Table compare_steps_table(const std::vector<PhaseChange>& changes);
// Tables `compare_breakdown`, `compare_lines`, `compare_ops`, … of what both runs know: time per
// step on both sides. The largest change comes first. Empty tables are left out.
std::vector<Table> compare_tables(const Analysis& a, const Analysis& b);
extern const TableDefinition kCompareStepsTable;

}  // namespace laptime
