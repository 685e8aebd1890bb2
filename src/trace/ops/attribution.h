// The line and module that each op belongs to.
//
// Forward. An inner op has its outer op's call site, unless it has its own because a user's
// function ran in between.
//
// Backward of torch. A *unit* is one evaluation of an autograd node: its evaluate_function span
// with the node inside. Everything that runs within the span belongs to the unit. Its call site is
// that of its forward op: the last op with the node's link that started before the unit, in the
// same process.
// - A unit without a link (AccumulateGrad) has the call site of the unit that ended before it on
//   its thread.
// - If no forward op is found, the unit has the call site of its own ops.
// - An op in a unit keeps its own call site if it has one. It has one only where Python ran in the
//   unit: a checkpoint's repeated forward pass, a Function's backward, a hook.
//
// Backward of TensorFlow and JAX. A backward span is one op with its own call site, on any thread.
//
// Optimizer. An op belongs to the optimizer within an optimizer's span, and by its own name
// (optimizer_ops.h).
//
// Consequence: every op counts once for its line, forward and backward, however often a tensor is
// used. A second derivative belongs to the line of the first forward op.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/ops/op_tree.h"
#include "trace/run/run.h"
#include "trace/steps/steps.h"

namespace laptime {

// none: no op, a span outside the tree, or an op of a step whose ops were not all recorded.
enum class OpPass : std::uint8_t { none, forward, backward, optimizer };

// By row of one track's spans; all columns are empty for a track without ops.
struct TrackOps {
  OpTree tree;
  // Run::call_sites, 0 unknown. An instant has the call site of the op that made it. Other rows
  // have their own.
  BulkVector<std::uint32_t> call_site;
  BulkVector<OpPass> pass;

  std::size_t size() const { return tree.size(); }
  // True outside ops and backward spans. Annotations and optimizer spans do not count: they only
  // name their contents.
  bool is_outermost(const SpanColumns& spans, std::uint32_t row) const;
};

struct OpAttribution {
  std::vector<TrackOps> tracks;  // by track of the run
};

OpAttribution attribute_ops(const Run& run, const std::vector<Step>& steps);

}  // namespace laptime
