// Which spans of a track lie within which, in one pass.
//
// Assumption: a thread's spans are in the order of their ends. An inner span comes before the outer
// one that ends with it. Rows in another order (recorded from another thread, or imported) are
// sorted first.
// Consequence: a stack holds the spans without a parent, in rising order of starts. A span's
// children are those on top of the stack that begin no earlier than it does.
// Spans that overlap without one containing the other do not nest: each keeps its own time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "format/columns.h"

namespace laptime {

// Row numbers in the order of ends. Empty if the rows already have that order.
std::vector<std::uint32_t> end_order(const SpanColumns& spans);

// Steps only mark the ends of iterations, and instants only carry data.
inline bool is_nested_kind(SpanKind kind) { return kind != SpanKind::step && !is_instant(kind); }

// Calls visit(row, self_ns) for every span whose kind is wanted, children before parents. Self time
// is the duration less the time that wanted children cover. Overlapping children are subtracted
// once.
template <typename Wanted, typename Visit>
void for_each_self_time(const SpanColumns& spans, Wanted wanted, Visit visit) {
  const std::vector<std::uint32_t> order = end_order(spans);
  std::vector<std::uint32_t> orphans;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const std::uint32_t row = order.empty() ? static_cast<std::uint32_t>(i) : order[i];
    if (!wanted(spans.kind[row])) continue;
    const std::int64_t start = spans.start[row];
    std::int64_t covered = 0;
    std::int64_t covered_from = INT64_MAX;  // start of what the visited children cover
    while (!orphans.empty() && spans.start[orphans.back()] >= start) {
      const std::uint32_t child = orphans.back();
      orphans.pop_back();
      const std::int64_t child_end = std::min(spans.end(child), covered_from);
      covered += std::max<std::int64_t>(0, child_end - spans.start[child]);
      covered_from = std::min(covered_from, spans.start[child]);
    }
    orphans.push_back(row);
    visit(row, spans.duration[row] - covered);
  }
}

// The same for every span except steps and instants.
template <typename Visit>
void for_each_self_time(const SpanColumns& spans, Visit visit) {
  for_each_self_time(spans, is_nested_kind, visit);
}

}  // namespace laptime
