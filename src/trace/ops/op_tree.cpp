#include "trace/ops/op_tree.h"

#include <algorithm>

#include "trace/run/nesting.h"

namespace laptime {

namespace {

// Subtracts the time that children cover from their parent. Overlapping children are subtracted
// once.
class OpenSpans {
 public:
  OpenSpans(const SpanColumns& spans, OpTree& tree) : spans_(spans), tree_(tree) {}

  std::uint32_t innermost_at(std::int64_t start) {
    while (!open_.empty() && spans_.start[open_.back().row] > start) open_.pop_back();
    return open_.empty() ? kNoRow : open_.back().row;
  }
  void enter(std::uint32_t row) {
    const std::int64_t start = spans_.start[row];
    if (!open_.empty()) {
      Open& outer = open_.back();
      tree_.self_ns[outer.row] -=
          std::max<std::int64_t>(0, std::min(spans_.end(row), outer.covered_from) - start);
      outer.covered_from = std::min(outer.covered_from, start);
    }
    open_.push_back({row, INT64_MAX});
  }

 private:
  struct Open {
    std::uint32_t row;
    std::int64_t covered_from;  // start of what the visited children cover
  };
  const SpanColumns& spans_;
  OpTree& tree_;
  std::vector<Open> open_;
};

}  // namespace

OpTree build_op_tree(const SpanColumns& spans) {
  OpTree tree;
  if (std::none_of(spans.kind.begin(), spans.kind.end(), is_in_op_tree)) return tree;
  tree.parent.resize(spans.size());
  tree.self_ns.resize(spans.size());
  tree.order = end_order(spans);
  OpenSpans open(spans, tree);
  tree.outside_in([&](std::uint32_t row) {
    const SpanKind kind = spans.kind[row];
    const bool takes_part = is_in_op_tree(kind);
    const std::uint32_t parent =
        takes_part || is_instant(kind) ? open.innermost_at(spans.start[row]) : kNoRow;
    const bool enters = takes_part && !repeats_parent(spans, row, parent);
    tree.parent[row] = parent;
    tree.self_ns[row] = enters ? spans.duration[row] : 0;
    if (enters) open.enter(row);
  });
  return tree;
}

}  // namespace laptime
