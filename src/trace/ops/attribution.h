// Which line of the program, and which module, each op belongs to.
//
// An op inside another op belongs where that one does, unless it has a call site of its own (a
// function of the user's ran between). Backward work belongs where its forward op was called: a
// *unit* is one evaluation of an autograd node — its evaluate_function span with the node inside it
// — and takes the call site of the last op of its process that started before it with the node's
// link. All that runs within a unit is the unit's, before, in and after the node. A unit without a
// link (AccumulateGrad) takes the call site of the unit that ended before it on its thread. Where
// no forward op is found, the unit has the call site of its own ops. An op inside a unit has a call
// site of its own only where Python ran in the unit (a checkpoint's forward pass done again, a
// Function's backward, a hook): it keeps that call site.
//
// Consequence: every op costs its line once, forward and backward, however often a tensor is used;
// a second derivative ends at the line of the first forward op.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/ops/op_tree.h"
#include "trace/run/run.h"
#include "trace/steps/steps.h"

namespace laptime {

// none: no op, a span left out of the tree, or one in a step that does not count (its ops were not
// all recorded).
enum class OpPass : std::uint8_t { none, forward, backward, optimizer };

// By row of one track's spans; all columns are empty for a track without ops.
struct TrackOps {
  OpTree tree;
  BulkVector<std::uint32_t> call_site;  // Run::call sites, 0 unknown. Instants: the call site of
                                        // the op that made them; others: their own
  BulkVector<OpPass> pass;

  std::size_t size() const { return tree.size(); }
  // Not inside an op or a backward span: annotations and optimizer spans only name what they
  // contain.
  bool is_outermost(const SpanColumns& spans, std::uint32_t row) const;
};

struct OpAttribution {
  std::vector<TrackOps> tracks;  // by track of the run
};

OpAttribution attribute_ops(const Run& run, const std::vector<Step>& steps);

}  // namespace laptime
