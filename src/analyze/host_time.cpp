#include "analyze/host_time.h"

#include <algorithm>
#include <span>

#include "analyze/attribution.h"
#include "base/parallel.h"

namespace laptime {

namespace {

struct Interval {
  std::int64_t start, end;
  HostCategory category;
};

std::vector<bool> memory_ops(const StringTable& strings) {
  std::vector<bool> flags(strings.size());
  for (const char* name : {"aten::empty", "aten::empty_like", "aten::empty_strided", "aten::resize_", "aten::copy_", "aten::_to_copy", "aten::clone",
                           "aten::contiguous", "aten::fill_", "aten::zero_", "aten::pin_memory", "aten::_pin_memory"})
    if (const std::uint32_t id = strings.find(name); id != StringTable::kNoString) flags[id] = true;
  return flags;
}

// What a track's thread was in, by its rows.
class TrackIntervals {
 public:
  TrackIntervals(const SpanColumns& spans, const TrackOps& ops, const std::vector<bool>& is_memory)
      : spans_(spans), ops_(ops), is_memory_(is_memory) {}

  std::vector<Interval> gather() {
    for (std::uint32_t i = 0; i < spans_.size(); ++i) {
      const std::uint32_t row = ops_.tree.order.empty() ? i : ops_.tree.order[i];
      const SpanKind kind = spans_.kind[row];
      if (kind == SpanKind::step) after_backward_ = false;
      if (kind == SpanKind::loader) add(row, HostCategory::input);
      if (kind == SpanKind::compile) add(row, HostCategory::compile);
      if (kind == SpanKind::gc) put(row, HostCategory::gc);
      if (is_in_op_tree(kind)) visit_op(row, kind);
    }
    return std::move(intervals_);
  }

 private:
  void visit_op(std::uint32_t row, SpanKind kind) {
    // The hook's span is there in steps whose ops rested, too.
    if (kind == SpanKind::optimizer) return add(row, HostCategory::optimizer);
    const OpPass pass = ops_.pass[row];
    if (pass == OpPass::none) return;
    if (kind == SpanKind::annotation) {
      if (pass == OpPass::optimizer) add(row, HostCategory::optimizer);
      return;
    }
    if (kind == SpanKind::op && is_memory_[spans_.name[row]]) put(row, HostCategory::memory);
    if (!ops_.is_outermost(spans_, row)) return;
    if (kind == SpanKind::backward)
      add_backward(row);
    else
      add(row, HostCategory::forward);
  }
  void put(std::uint32_t row, HostCategory category) { intervals_.push_back({spans_.start[row], spans_.end(row), category}); }
  // Puts what backward does not go on across.
  void add(std::uint32_t row, HostCategory category) {
    put(row, category);
    after_backward_ = false;
  }
  // From the end of the backward span before it, when nothing else came in between.
  void add_backward(std::uint32_t row) {
    const std::int64_t start = after_backward_ ? std::min(backward_end_, spans_.start[row]) : spans_.start[row];
    intervals_.push_back({start, spans_.end(row), HostCategory::backward});
    backward_end_ = spans_.end(row);
    after_backward_ = true;
  }

  const SpanColumns& spans_;
  const TrackOps& ops_;
  const std::vector<bool>& is_memory_;
  std::vector<Interval> intervals_;
  bool after_backward_ = false;
  std::int64_t backward_end_ = 0;
};

// A category that begins or ends, on the stepping thread or on another one.
struct Edge {
  std::int64_t time;
  HostCategory category;
  bool own;
  std::int8_t change;
};

class Sweep {
 public:
  explicit Sweep(HostStep& step) : step_(step) {}

  void run(std::vector<Edge>& edges) {
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.time < b.time; });
    now_ = step_.step.start_ns;
    for (const Edge& edge : edges) {
      advance(edge.time);
      (edge.own ? own_ : other_)[static_cast<std::size_t>(edge.category)] += edge.change;
    }
    advance(step_.step.start_ns + step_.step.wall_ns);
  }

 private:
  using Counts = std::array<std::int32_t, kHostCategories>;

  void advance(std::int64_t time) {
    if (time == now_) return;
    const std::size_t present = category();
    step_.exposed[present] += time - now_;
    for (std::size_t c = 0; c < kHostCategories; ++c)
      if (other_[c] > 0 && c != present) step_.overlapped[c] += time - now_;
    now_ = time;
  }
  std::size_t category() const {
    for (std::size_t c = 0; c < kHostCategories; ++c)
      if (own_[c] > 0) return c;
    constexpr auto kBackward = static_cast<std::size_t>(HostCategory::backward);
    return other_[kBackward] > 0 ? kBackward : static_cast<std::size_t>(HostCategory::rest);
  }

  HostStep& step_;
  Counts own_{}, other_{};
  std::int64_t now_ = 0;
};

// Puts the intervals of the process's threads into the steps of one of them.
class StepEdges {
 public:
  // `steps`: those of one track, in their order.
  explicit StepEdges(std::span<HostStep> steps) : steps_(steps), edges_(steps.size()) {}

  void add(const std::vector<Interval>& intervals, bool own) {
    for (const Interval& interval : intervals) {
      for (std::size_t s = first_ending_after(interval.start); s < steps_.size() && start(s) < interval.end; ++s) {
        const std::int64_t from = std::max(interval.start, start(s)), to = std::min(interval.end, end(s));
        if (from >= to) continue;
        edges_[s].push_back({from, interval.category, own, 1});
        edges_[s].push_back({to, interval.category, own, -1});
      }
    }
  }
  void sweep() {
    parallel_for(steps_.size(), [&](std::size_t s) { Sweep(steps_[s]).run(edges_[s]); });
  }

 private:
  std::int64_t start(std::size_t s) const { return steps_[s].step.start_ns; }
  std::int64_t end(std::size_t s) const { return start(s) + steps_[s].step.wall_ns; }
  // Intervals mostly come in their order: the search begins where the last one ended.
  std::size_t first_ending_after(std::int64_t time) {
    if (hint_ < steps_.size() && end(hint_) > time && (hint_ == 0 || end(hint_ - 1) <= time)) return hint_;
    const auto it = std::upper_bound(steps_.begin(), steps_.end(), time,
                                     [](std::int64_t t, const HostStep& s) { return t < s.step.start_ns + s.step.wall_ns; });
    return hint_ = static_cast<std::size_t>(it - steps_.begin());
  }

  std::span<HostStep> steps_;
  std::vector<std::vector<Edge>> edges_;
  std::size_t hint_ = 0;
};

// Assumption: steps of one thread do not overlap. In a file where they do, each still sums to its own wall time.
void split_track(const Run& run, std::uint32_t track, std::span<HostStep> steps, const std::vector<std::vector<Interval>>& intervals) {
  StepEdges edges(steps);
  for (std::size_t t = 0; t < run.tracks.size(); ++t)
    if (run.tracks[t].process == run.tracks[track].process) edges.add(intervals[t], t == track);
  edges.sweep();
}

std::vector<bool> processes_with_ops(const Run& run) {
  std::vector<bool> has_ops(run.processes.size());
  const auto is_op = [](SpanKind kind) { return kind == SpanKind::op || kind == SpanKind::backward; };
  for (const Track& track : run.tracks)
    if (std::any_of(track.spans.kind.begin(), track.spans.kind.end(), is_op)) has_ops[track.process] = true;
  return has_ops;
}

}  // namespace

std::vector<HostStep> split_steps(const Analysis& analysis) {
  const Run& run = analysis.run();
  std::vector<HostStep> steps;
  for (const Step& step : analysis.steps()) steps.push_back({step, false, {}, {}});
  if (steps.empty()) return steps;
  const OpAttribution& attribution = analysis.ops();
  const std::vector<bool> is_memory = memory_ops(run.strings);
  std::vector<std::vector<Interval>> intervals(run.tracks.size());
  parallel_for(run.tracks.size(), [&](std::size_t t) { intervals[t] = TrackIntervals(run.tracks[t].spans, attribution.tracks[t], is_memory).gather(); });
  const std::vector<bool> has_ops = processes_with_ops(run);
  for (HostStep& s : steps)
    s.has_ops = s.step.ops == StepOps::recorded || (s.step.ops == StepOps::not_told && has_ops[run.tracks[s.step.track].process]);
  for (auto first = steps.begin(); first != steps.end();) {
    const auto last = std::find_if(first, steps.end(), [&](const HostStep& s) { return s.step.track != first->step.track; });
    split_track(run, first->step.track, {first, last}, intervals);
    first = last;
  }
  return steps;
}

}  // namespace laptime
