#include "trace/ops/attribution.h"

#include <algorithm>

#include "base/parallel.h"
#include "format/names.h"
#include "trace/ops/backward_units.h"
#include "trace/ops/optimizer_ops.h"
#include "trace/ops/torch_nodes.h"
#include "trace/steps/recorded_part.h"

namespace laptime {

namespace {

std::vector<bool> names_starting_with(const StringTable& strings, std::string_view beginning) {
  std::vector<bool> flags(strings.size());
  for (std::uint32_t id = 0; id < strings.size(); ++id)
    flags[id] = strings[id].starts_with(beginning);
  return flags;
}

struct Names {
  explicit Names(const StringTable& strings)
      : evaluate(names_starting_with(strings, span_name::kEvaluateFunction)),
        optimizer(names_starting_with(strings, span_name::kOptimizer)),
        update(names_starting_with(strings, span_name::kOptimizerUpdate)),
        torch_nodes(find_torch_nodes(strings)),
        optimizer_ops(strings) {}

  std::vector<bool> evaluate, optimizer;
  std::vector<bool> update;  // an optimizer's step without its closure
  std::vector<bool> torch_nodes;
  OptimizerOps optimizer_ops;
};

// Assigns each row of a track its pass and its code (backward_units.h), from the outside in.
class TrackWalk {
 public:
  TrackWalk(const Names& names, const Spans& spans, TrackOps& ops, std::vector<BackwardUnit>& units)
      : names_(names), spans_(spans), ops_(ops), units_(units) {}

  void walk() {
    ops_.tree = build_op_tree(spans_);
    if (ops_.size() == 0) return;
    ops_.pass.resize(ops_.size(), OpPass::none);
    updates_ = names_.optimizer_ops.find(spans_);
    read_own_call_sites();
    find_closures();
    ops_.tree.outside_in([&](std::uint32_t row) { visit(row); });
  }

 private:
  // torch's annotation of a step with a closure contains the program's forward and backward. Only
  // the hook's span inside it is the optimizer's work.
  void find_closures() {
    for (std::uint32_t row = 0; row < ops_.size(); ++row) {
      if (spans_.kind[row] != SpanKind::optimizer || !names_.update[spans_.name[row]]) continue;
      if (has_closure_.empty()) has_closure_.resize(ops_.size());
      for (std::uint32_t around = ops_.tree.parent[row]; around != kNoRow;
           around = ops_.tree.parent[around])
        if (spans_.kind[around] == SpanKind::annotation) has_closure_[around] = true;
    }
  }

  void read_own_call_sites() {
    const SideColumn<std::uint32_t>& call_sites = spans_.call_site;
    ops_.call_site.resize(ops_.size(), 0);
    for (std::size_t i = 0; i < call_sites.size(); ++i)
      if (call_sites.row[i] < ops_.size()) ops_.call_site[call_sites.row[i]] = call_sites.value[i];
  }

  void visit(std::uint32_t row) {
    const SpanKind kind = spans_.kind[row];
    const std::uint32_t parent = ops_.tree.parent[row];
    const CallSiteCode around = parent == kNoRow ? 0 : ops_.call_site[parent];
    if (is_instant(kind)) {
      ops_.call_site[row] = around;
      return;
    }
    if (!is_in_op_tree(kind)) return;
    const bool is_unit_of_torch =
        kind == SpanKind::backward && (names_.torch_nodes[spans_.name[row]] || is_unit(around));
    ops_.call_site[row] = is_unit_of_torch ? unit_of(row, parent, around) : code_of(row, around);
    if (!repeats_parent(spans_, row, parent))
      ops_.pass[row] = pass_of(row, parent);
    else if (around == 0)
      ops_.call_site[parent] =
          ops_.call_site[row];  // the hook does not record the line, torch's annotation does
  }

  CallSiteCode code_of(std::uint32_t row, CallSiteCode around) {
    const std::uint32_t own = ops_.call_site[row];
    if (own == 0) return around;
    if (is_unit(around))
      if (std::uint32_t& of_ops = units_[unit_number(around)].call_site_of_ops; of_ops == 0)
        of_ops = own;
    return own;
  }

  // A node joins the evaluate_function around it and gives it its link. Every other backward span
  // is a new unit.
  CallSiteCode unit_of(std::uint32_t row, std::uint32_t parent, CallSiteCode around) {
    const std::uint64_t link = spans_.link.empty() ? 0 : spans_.link[row];
    if (is_unit(around) && spans_.kind[parent] == SpanKind::backward &&
        !names_.evaluate[spans_.name[row]]) {
      std::uint64_t& known = units_[unit_number(around)].link;
      if (known == 0) known = link;
      if (link == 0 || known == link) return around;
    }
    units_.push_back({link, spans_.start[row]});
    return kUnitCode | static_cast<CallSiteCode>(units_.size() - 1);
  }

  OpPass pass_of(std::uint32_t row, std::uint32_t parent) const {
    const SpanKind kind = spans_.kind[row];
    if (kind == SpanKind::backward) return OpPass::backward;
    if (kind == SpanKind::optimizer ||
        (kind == SpanKind::annotation && names_.optimizer[spans_.name[row]] &&
         (has_closure_.empty() || !has_closure_[row])) ||
        (!updates_.empty() && updates_[row]))
      return OpPass::optimizer;
    if (parent == kNoRow) return OpPass::forward;
    // A row that repeats its parent has no pass and no children.
    return ops_.pass[parent];
  }

  const Names& names_;
  const Spans& spans_;
  TrackOps& ops_;
  std::vector<BackwardUnit>& units_;
  std::vector<bool> has_closure_;  // by row; empty: none has
  std::vector<bool> updates_;      // by row: the optimizer's by its name; empty: none is
};

template <typename Add>
void for_each_forward_op(const Run& run, const std::vector<std::uint32_t>& tracks,
                         const OpAttribution& result, Add add) {
  for (std::uint32_t t = 0; t < tracks.size(); ++t) {
    const SpanColumns& spans = run.tracks[tracks[t]].spans;
    const TrackOps& ops = result.tracks[tracks[t]];
    if (spans.link.empty()) continue;
    for (std::size_t row = 0; row < ops.size(); ++row)
      if (spans.link[row] != 0 && spans.kind[row] == SpanKind::op)
        add(spans.link[row], ForwardOp{spans.start[row], t, ops.call_site[row]});
  }
}

// `tracks`: those of one process.
void resolve_units(const Run& run, const std::vector<std::uint32_t>& tracks,
                   const OpAttribution& result, std::vector<std::vector<BackwardUnit>>& units) {
  std::vector<std::vector<BackwardUnit>*> of_tracks;
  for (const std::uint32_t t : tracks) of_tracks.push_back(&units[t]);
  if (std::all_of(of_tracks.begin(), of_tracks.end(),
                  [](const auto* list) { return list->empty(); }))
    return;
  BackwardUnits backward(std::move(of_tracks));
  for_each_forward_op(run, tracks, result, [&](std::uint64_t link, const ForwardOp& op) {
    backward.add_forward(link, op);
  });
  if (backward.need_again())
    for_each_forward_op(run, tracks, result, [&](std::uint64_t link, const ForwardOp& op) {
      backward.add_again(link, op);
    });
  backward.resolve();
}

void settle_rows(const SpanColumns& spans, const std::vector<BackwardUnit>& units,
                 const Intervals& left_out, TrackOps& ops) {
  Intervals::Cursor leaving_out(left_out);
  for (std::size_t row = 0; row < ops.size(); ++row) {
    if (is_unit(ops.call_site[row]))
      ops.call_site[row] = units[unit_number(ops.call_site[row])].call_site;
    if (!left_out.empty() && ops.pass[row] != OpPass::none &&
        leaving_out.contains(spans.start[row]))
      ops.pass[row] = OpPass::none;
  }
}

}  // namespace

bool TrackOps::is_outermost(const SpanColumns& spans, std::uint32_t row) const {
  std::uint32_t parent = tree.parent[row];
  while (parent != kNoRow && spans.kind[parent] != SpanKind::op &&
         spans.kind[parent] != SpanKind::backward)
    parent = tree.parent[parent];
  return parent == kNoRow;
}

OpAttribution attribute_ops(const Run& run, const std::vector<Step>& steps) {
  OpAttribution result;
  result.tracks.resize(run.tracks.size());
  std::vector<std::vector<BackwardUnit>> units(run.tracks.size());
  const Names names(run.strings);
  parallel_for(run.tracks.size(), [&](std::size_t t) {
    TrackWalk(names, run.tracks[t].spans, result.tracks[t], units[t]).walk();
  });
  std::vector<std::vector<std::uint32_t>> tracks_of(run.processes.size());
  for (std::uint32_t t = 0; t < run.tracks.size(); ++t)
    tracks_of[run.tracks[t].process].push_back(t);
  parallel_for(tracks_of.size(),
               [&](std::size_t p) { resolve_units(run, tracks_of[p], result, units); });
  const std::vector<Intervals> left_out = find_left_out(run, steps);
  parallel_for(run.tracks.size(), [&](std::size_t t) {
    settle_rows(run.tracks[t].spans, units[t], left_out[run.tracks[t].process], result.tracks[t]);
  });
  return result;
}

}  // namespace laptime
