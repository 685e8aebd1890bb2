// Two runs of a program side by side: whether its steps became faster or slower, and what changed.
//
// A verdict needs both: an interval that leaves out 1, and a difference over kNegligible.
// Everything below the steps is aligned by name, not by position: a line by its file's name,
// function and text, so that code above it may change.
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
  std::optional<RatioInterval> times;  // B's step time over A's
  Verdict verdict;
};

// By phase; those that both runs have first.
std::vector<PhaseChange> compare_steps(const Analysis& a, const Analysis& b);

// Whether some phase became slower by more than `limit` (0.05: 5 %), beyond chance.
bool is_over(const std::vector<PhaseChange>& changes, double limit);

// Table `compare_steps`.
Table compare_steps_table(const std::vector<PhaseChange>& changes);
// Tables `compare_breakdown`, `compare_lines`, `compare_ops`, … of what both runs can tell: time a
// step on both sides, the largest change first. Empty ones are left out.
std::vector<Table> compare_tables(const Analysis& a, const Analysis& b);
extern const TableDefinition kCompareStepsTable;

}  // namespace laptime
