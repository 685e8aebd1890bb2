// The ops of a thread as a tree, with the self time of each.
//
// The tree contains ops, backward spans, annotations and optimizer spans. It leaves out scopes,
// waits and collections. So an op's self time is its duration less that of the ops inside it, as in
// torch.
//
// Nesting follows trace/run/nesting.h, from the outside in. A span's parent is the first later row,
// in order of ends, that begins no later than the span. Consequence: parents come before their
// children, so facts of a parent reach its children in one pass.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bulk_vector.h"
#include "format/columns.h"

namespace laptime {

inline constexpr std::uint32_t kNoRow = ~0u;

inline bool is_in_op_tree(SpanKind kind) {
  return kind == SpanKind::op || kind == SpanKind::backward || kind == SpanKind::annotation ||
         kind == SpanKind::optimizer;
}

struct OpTree {
  // By row of the track's spans. For instants (allocations): the innermost span around them.
  BulkVector<std::uint32_t> parent;  // kNoRow: none, or the row is not in the tree
  BulkVector<std::int64_t> self_ns;  // 0 for rows outside the tree
  std::vector<std::uint32_t> order;  // end_order of the spans

  // 0 for a track without ops.
  std::size_t size() const { return parent.size(); }

  // Calls visit(row) for all rows, parents before their children.
  template <typename Visit>
  void outside_in(Visit visit) const {
    for (std::size_t i = size(); i-- > 0;)
      visit(order.empty() ? static_cast<std::uint32_t>(i) : order[i]);
  }
};

OpTree build_op_tree(const SpanColumns& spans);

// A hook's optimizer span and the annotation that torch makes of the same call are one thing said
// twice; the inner one is left out of the tree (its children are the outer one's) and of every
// count.
inline bool repeats_parent(const SpanColumns& spans, std::uint32_t row, std::uint32_t parent) {
  return parent != kNoRow && spans.name[row] == spans.name[parent] &&
         spans.kind[row] != spans.kind[parent] &&
         (spans.kind[row] == SpanKind::optimizer || spans.kind[parent] == SpanKind::optimizer);
}

}  // namespace laptime
