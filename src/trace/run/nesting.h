// Which spans of a track lie within which, in one pass.
//
// Assumption: a thread's spans stand in the order of their ends, an inner one before the outer one
// that ends with it; rows that do not (recorded from another thread, or by an importer) are sorted
// first. Consequence: a stack holds the spans that have no parent yet, with rising starts; a span's
// children are those on top that begin no earlier than it does. Spans that overlap without one
// containing the other are no family: each keeps its own time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "format/columns.h"

namespace laptime {

// Row numbers in the order of ends, or nothing when the rows already are in that order.
std::vector<std::uint32_t> end_order(const SpanColumns& spans);

// Steps say where phases end, and instants carry data; they are not part of what the program does.
inline bool takes_part_in_nesting(SpanKind kind) {
  return kind != SpanKind::step && !is_instant(kind);
}

// Calls visit(row, self_ns) for every span but steps, children before their parent. Self time is
// the span's duration less what its children cover; children that overlap each other are not taken
// off twice.
template <typename Visit>
void for_each_self_time(const SpanColumns& spans, Visit visit) {
  const std::vector<std::uint32_t> order = end_order(spans);
  std::vector<std::uint32_t> orphans;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const std::uint32_t row = order.empty() ? static_cast<std::uint32_t>(i) : order[i];
    if (!takes_part_in_nesting(spans.kind[row])) continue;
    const std::int64_t start = spans.start[row];
    std::int64_t covered = 0;
    std::int64_t covered_from = INT64_MAX;  // start of what the children visited so far cover
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

}  // namespace laptime
