// How the host's categories (host_time.h) are shown: as rows by their names, or side by side as
// columns.
//
// The rest is `python` where ops were told from it. Where they were not it is `python and ops`, and
// in a program that is not Python `other`; as a column both are other_ns, and the columns of ops
// are unknown.
#pragma once

#include <array>
#include <string>

#include "tables/run/table.h"
#include "trace/analysis.h"
#include "trace/time/host_time.h"

namespace laptime {

// The order in which a reader meets them: what a step does first, first.
inline constexpr HostCategory kHostOrder[] = {
    HostCategory::input,      HostCategory::rest,          HostCategory::forward,
    HostCategory::backward,   HostCategory::communication, HostCategory::optimizer,
    HostCategory::checkpoint, HostCategory::memory,        HostCategory::launch,
    HostCategory::copy,       HostCategory::sync,          HostCategory::compile,
    HostCategory::gc};

// What is known of a step: whether it is Python's, whether ops are told from the rest, and launches
// and waits for GPUs.
struct HostKnowledge {
  bool python, ops, gpu;
};
bool is_python_step(const Run& run, const Step& step);
HostKnowledge knowledge_of(const Run& run, const HostStep& step);
// Of the steps of a phase: what is known of any of them.
HostKnowledge knowledge_of(const Analysis& analysis, std::uint32_t track, std::uint32_t phase);

// Time of slow steps of which none was recorded (mean_step.h).
inline constexpr const char* kUndivided = "not recorded";
// A row of table `breakdown` of it.
Row undivided_row(const Table& table, std::string view, double ns, double wall_ns,
                  std::string phase);

std::string host_category_name(HostCategory category, const HostKnowledge& known);

// Whether the step tells the category from the rest.
bool is_told(HostCategory category, const HostKnowledge& known);

// input_ns, python_ns, forward_ns … other_ns.
void add_host_columns(Table& table, ColumnType type);
// The cells of these columns; the known ones sum to what `ns` sums to.
template <typename Number>
void add_host_cells(Row& row, const std::array<Number, kHostCategories>& ns,
                    const HostKnowledge& known) {
  Number other = 0;
  for (const HostCategory category : kHostOrder) {
    const Number of_category = ns[static_cast<std::size_t>(category)];
    const bool told = is_told(category, known);
    if (!told) other += of_category;
    row.push_back(told ? Cell(of_category) : kUnknown);
  }
  row.push_back(known.ops && known.python && other == 0 ? kUnknown : Cell(other));
}

}  // namespace laptime
