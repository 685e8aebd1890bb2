// The ops of a thread as a tree: which lies within which, and what each took itself.
//
// Ops, backward spans, annotations and optimizer spans take part; scopes, waits and collections do
// not, so an op's self time is its duration less that of the ops inside it, as torch counts it.
// Nesting is that of analyze/nesting.h, walked from the outside in: among the rows behind it in the
// order of ends, a span's parent is the first that begins no later. Consequence: parents come
// before their children, and what is known of a parent can be handed down in one pass.
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
  // By row of the track's spans. For marks (allocations): the innermost span during which they were
  // made.
  BulkVector<std::uint32_t> parent;  // kNoRow: none, and for all rows that take no part
  BulkVector<std::int64_t> self_ns;  // 0 for rows that take no part
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
