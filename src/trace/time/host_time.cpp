#include "trace/time/host_time.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/bulk_vector.h"
#include "base/parallel.h"
#include "format/names.h"
#include "trace/gpu/driver_time.h"
#include "trace/gpu/gpu_work.h"
#include "trace/gpu/kernel_names.h"
#include "trace/ops/attribution.h"
#include "trace/ops/torch_nodes.h"
#include "trace/run/intervals.h"
#include "trace/time/collective_waits.h"

namespace laptime {

namespace {

struct CategoryPiece {
  std::int64_t start, end;
  HostCategory category;
  // torch's backward, a launch for it, or the end of a collective. The stepping thread waits for it
  // while it does nothing itself.
  bool awaited = false;
  // The engine's time between two backward spans. Work of another thread in it was not awaited.
  bool between = false;
  std::uint32_t row = 0;  // of a collective
};

// By string: what names of ops show.
struct OpNames {
  explicit OpNames(const StringTable& strings)
      : pipeline(strings.find(arg_name::kPipeline)),
        memory(memory_ops(strings)),
        collective(collectives(strings)),
        torch_nodes(find_torch_nodes(strings)),
        checkpoint(strings.find(span_name::kCheckpoint)) {}

  std::uint32_t pipeline;  // the argument of what an input pipeline runs
  std::vector<bool> memory, collective, torch_nodes;
  std::uint32_t checkpoint;  // of scopes that are checkpoints
};

// Calls visit(interval) for each category that a track's thread was in.
template <typename Visit>
class TrackWalk {
 public:
  TrackWalk(const SpanColumns& spans, const TrackOps& ops, const OpNames& names, Visit visit)
      : spans_(spans),
        ops_(ops),
        names_(names),
        visit_(visit),
        stages_(stages_of(spans, names.pipeline)),
        in_stage_(stages_) {}

  void walk() {
    for (std::uint32_t i = 0; i < spans_.size(); ++i) {
      const std::uint32_t row = ops_.tree.order.empty() ? i : ops_.tree.order[i];
      const SpanKind kind = spans_.kind[row];
      if (kind == SpanKind::step) after_backward_ = false;
      if (kind == SpanKind::loader) add(row, HostCategory::input);
      if (kind == SpanKind::compile) add(row, HostCategory::compile);
      if (kind == SpanKind::dispatch) add(row, HostCategory::dispatch);
      if (kind == SpanKind::wait) add(row, HostCategory::device_wait);
      if (kind == SpanKind::scope && spans_.name[row] == names_.checkpoint)
        add(row, HostCategory::checkpoint);
      if (kind == SpanKind::gc) put(row, HostCategory::gc);
      if (is_in_op_tree(kind) && !is_in_stage(row)) visit_op(row, kind);
    }
  }

 private:
  // Ops that an input pipeline runs make a batch. The step waits for the batch, not for them.
  bool is_in_stage(std::uint32_t row) {
    return !stages_.empty() && in_stage_.contains(spans_.start[row]);
  }
  // Its stages, and the ops of functions that it runs outside of them.
  static Intervals stages_of(const SpanColumns& spans, std::uint32_t pipeline) {
    std::vector<Interval> stages;
    const auto add = [&](std::size_t row) { stages.push_back({spans.start[row], spans.end(row)}); };
    for (std::size_t row = 0; row < spans.size(); ++row)
      if (spans.kind[row] == SpanKind::stage) add(row);
    for (std::size_t arg = 0; pipeline != 0 && arg < spans.args.row.size(); ++arg)
      if (const std::uint32_t row = spans.args.row[arg];
          string_of(spans.args.key[arg]) == pipeline && spans.kind[row] != SpanKind::stage)
        add(row);
    return Intervals(std::move(stages));
  }
  void visit_op(std::uint32_t row, SpanKind kind) {
    // The hook's span also exists in steps whose ops rested.
    if (kind == SpanKind::optimizer) return add(row, HostCategory::optimizer);
    const OpPass pass = ops_.pass[row];
    if (pass == OpPass::none) return;
    if (names_.collective[spans_.name[row]]) return visit_collective(row);
    if (kind == SpanKind::annotation) {
      if (pass == OpPass::optimizer) add(row, HostCategory::optimizer);
      return;
    }
    if (kind == SpanKind::op && names_.memory[spans_.name[row]]) put(row, HostCategory::memory);
    if (!ops_.is_outermost(spans_, row)) return;
    if (kind == SpanKind::backward && names_.torch_nodes[spans_.name[row]])
      add_backward(row);
    else
      add(row, category_of_pass(pass));
  }
  static HostCategory category_of_pass(OpPass pass) {
    return pass == OpPass::backward    ? HostCategory::backward
           : pass == OpPass::optimizer ? HostCategory::optimizer
                                       : HostCategory::forward;
  }
  void visit_collective(std::uint32_t row) {
    visit_(CategoryPiece{spans_.start[row], spans_.end(row), HostCategory::communication, false,
                         false, row});
    if (ops_.is_outermost(spans_, row)) after_backward_ = false;
  }
  void put(std::uint32_t row, HostCategory category) {
    visit_(CategoryPiece{spans_.start[row], spans_.end(row), category});
  }
  // Adds a piece that interrupts backward.
  void add(std::uint32_t row, HostCategory category) {
    put(row, category);
    after_backward_ = false;
  }
  // Of torch. Adds the time since the previous backward span, if nothing else came in between.
  void add_backward(std::uint32_t row) {
    if (after_backward_ && backward_end_ < spans_.start[row])
      visit_(CategoryPiece{backward_end_, spans_.start[row], HostCategory::backward, true, true});
    visit_(CategoryPiece{spans_.start[row], spans_.end(row), HostCategory::backward, true});
    backward_end_ = spans_.end(row);
    after_backward_ = true;
  }

  const SpanColumns& spans_;
  const TrackOps& ops_;
  const OpNames& names_;
  Visit visit_;
  const Intervals stages_;
  Intervals::Cursor in_stage_;
  bool after_backward_ = false;
  std::int64_t backward_end_ = 0;
};

// All categories that threads were in. Nothing is stored: a run of millions of ops is walked twice
// instead.
class CategoryPieces {
 public:
  CategoryPieces(const Run& run, const OpAttribution& ops, const GpuWorkload& gpu)
      : run_(run), ops_(ops), names_(run_.strings), driver_times_(find_driver_times(run_, gpu)) {}

  template <typename Visit>
  void visit(std::uint32_t track, Visit visit) const {
    TrackWalk(run_.tracks[track].spans, ops_.tracks[track], names_, visit).walk();
    for (const DriverCallTime& call : driver_times_[track]) {
      const HostCategory category = call.work == DriverWork::sync_wait   ? HostCategory::sync
                                    : call.work == DriverWork::copy_wait ? HostCategory::copy
                                                                         : HostCategory::launch;
      visit(CategoryPiece{call.start_ns, call.end_ns, category, call.backward, false});
    }
  }
  const Run& run() const { return run_; }

 private:
  const Run& run_;
  const OpAttribution& ops_;
  const OpNames names_;
  const std::vector<std::vector<DriverCallTime>> driver_times_;
};

// A category begins or ends in a step, on the stepping thread or on another one. 8 bytes, because
// there are two for each op. Edges sort by time.
class Edge {
 public:
  Edge() = default;
  // `time`: since the step's start.
  Edge(std::int64_t time, const CategoryPiece& of, bool own, bool begins)
      : bits_(static_cast<std::uint64_t>(time) << kFlagBits |
              static_cast<std::uint64_t>(of.category) << 3 | std::uint64_t{own} << 2 |
              std::uint64_t{of.awaited} << 1 | std::uint64_t{begins}) {}

  std::int64_t time() const { return static_cast<std::int64_t>(bits_ >> kFlagBits); }
  std::size_t category() const { return bits_ >> 3 & 15; }
  bool own() const { return (bits_ & 4) != 0; }
  bool awaited() const { return (bits_ & 2) != 0; }
  std::int32_t change() const { return (bits_ & 1) != 0 ? 1 : -1; }
  friend bool operator<(Edge a, Edge b) { return a.bits_ < b.bits_; }

 private:
  static constexpr unsigned kFlagBits = 7;
  static_assert(kHostCategories <= 16);
  std::uint64_t bits_ = 0;
};

class Sweep {
 public:
  explicit Sweep(HostStep& step) : step_(step) {}

  void run(std::span<Edge> edges) {
    std::sort(edges.begin(), edges.end());
    for (const Edge edge : edges) {
      advance(edge.time());
      (edge.own() ? own_ : other_)[edge.category()] += edge.change();
      if (!edge.own() && edge.awaited()) awaited_[edge.category()] += edge.change();
    }
    advance(step_.step.wall_ns);
  }

 private:
  using Counts = std::array<std::int32_t, kHostCategories>;

  static constexpr std::size_t index(HostCategory category) {
    return static_cast<std::size_t>(category);
  }
  void advance(std::int64_t time) {
    if (time == now_) return;
    const std::size_t present = category();
    step_.exposed[present] += time - now_;
    for (std::size_t c = 0; c < kHostCategories; ++c)
      if (other_[c] > 0 && c != present &&
          !(c == index(HostCategory::backward) && awaits_backward()))
        step_.overlapped[c] += time - now_;
    now_ = time;
  }
  // True while the stepping thread does nothing itself and another thread is in torch's backward.
  // It waits for that.
  bool awaits_backward() const {
    return awaited_[index(HostCategory::backward)] > 0 &&
           std::all_of(own_.begin(), own_.end(), [](std::int32_t n) { return n == 0; });
  }
  // True while the stepping thread waits for the ops of a compiled function on any thread.
  bool waits_for_ops() const {
    return own_[index(HostCategory::dispatch)] > 0 || own_[index(HostCategory::device_wait)] > 0;
  }
  std::size_t category() const {
    const bool all_threads = waits_for_ops();
    for (std::size_t c = 0; c < kHostCategories; ++c)
      if (own_[c] > 0 || (all_threads && other_[c] > 0 && is_awaited(c))) return c;
    const bool backward = awaited_[index(HostCategory::backward)] > 0;
    if (backward && other_[index(HostCategory::sync)] > 0) return index(HostCategory::sync);
    for (const HostCategory c : {HostCategory::copy, HostCategory::launch})
      if (awaited_[index(c)] > 0) return index(c);
    if (backward) return index(HostCategory::backward);
    return index(awaited_[index(HostCategory::communication)] > 0 ? HostCategory::communication
                                                                  : HostCategory::rest);
  }

  // Whether a compiled function may do it on another thread.
  static bool is_awaited(std::size_t category) {
    return category < index(HostCategory::dispatch) && category != index(HostCategory::gc) &&
           category != index(HostCategory::checkpoint);
  }

  HostStep& step_;
  Counts own_{}, other_{}, awaited_{};
  std::int64_t now_ = 0;  // since the step's start
};

// Assigns the intervals of the process's threads to the steps of one of them. They are counted
// first and stored afterwards: the edges of all steps are one array of exactly their number.
// Assumption: steps of one thread do not overlap. In a file where they do, each still sums to its
// own wall time.
class StepEdges {
 public:
  // `steps`: those of one track, in their order.
  StepEdges(const CategoryPieces& intervals, std::span<HostStep> steps)
      : intervals_(intervals), own_(steps.front().step.track), steps_(steps), ends_(steps.size()) {
    const std::vector<Track>& tracks = intervals.run().tracks;
    for (std::uint32_t t = 0; t < tracks.size(); ++t)
      if (t != own_ && tracks[t].process == tracks[own_].process) others_.push_back(t);
    add_all();
    std::size_t count = 0;
    for (std::size_t& end : ends_) count += std::exchange(end, count);
    edges_.resize(count);
    counting_ = false;
    add_all();
  }
  void sweep() {
    parallel_for(steps_.size(), [&](std::size_t s) {
      const std::size_t first = s == 0 ? 0 : ends_[s - 1];
      Sweep(steps_[s]).run(std::span(edges_).subspan(first, ends_[s] - first));
    });
  }

 private:
  struct Collective {
    CategoryPiece interval;
    std::uint32_t track;
  };

  std::int64_t start(std::size_t s) const { return steps_[s].step.start_ns; }
  std::int64_t end(std::size_t s) const { return start(s) + steps_[s].step.wall_ns; }
  template <typename Visit>
  void in_steps(const CategoryPiece& interval, Visit visit) {
    for (std::size_t s = first_ending_after(interval.start);
         s < steps_.size() && start(s) < interval.end; ++s) {
      const std::int64_t from = std::max(interval.start, start(s)),
                         to = std::min(interval.end, end(s));
      if (from < to) visit(s, from, to);
    }
  }
  void add_all() {
    intervals_.visit(own_, [&](const CategoryPiece& interval) { add(interval, true); });
    for (const std::uint32_t t : others_) add_other(t);
    add_collectives();
  }
  void add(const CategoryPiece& interval, bool own) {
    in_steps(interval, [&](std::size_t s, std::int64_t from, std::int64_t to) {
      if (!counting_) {
        edges_[ends_[s]] = Edge(from - start(s), interval, own, true);
        edges_[ends_[s] + 1] = Edge(to - start(s), interval, own, false);
      }
      ends_[s] += 2;
    });
  }
  void add_other(std::uint32_t track) {
    intervals_.visit(track, [&](const CategoryPiece& interval) {
      if (interval.between && starts_within(interval)) return;
      if (interval.category != HostCategory::communication)
        add(interval, false);
      else if (counting_)
        collectives_.push_back({interval, track});
    });
  }
  void add_collectives() {
    if (collectives_.empty()) return;
    std::vector<Interval> busy;
    intervals_.visit(own_, [&](const CategoryPiece& interval) {
      busy.push_back({interval.start, interval.end});
    });
    CollectiveWaits waits{Intervals(std::move(busy))};
    const auto interval = [](const Collective& collective) {
      return Interval{collective.interval.start, collective.interval.end};
    };
    for (const Collective& collective : collectives_) waits.note(interval(collective));
    for (const Collective& collective : collectives_)
      add_collective(collective, waits.find(interval(collective)));
    for (HostStep& step : steps_)
      std::sort(step.waits.begin(), step.waits.end(),
                [](const CollectiveWait& a, const CollectiveWait& b) { return a.end < b.end; });
  }
  void add_collective(const Collective& collective, const Interval& wait) {
    CategoryPiece before = collective.interval, waited = collective.interval;
    before.end = waited.start = wait.start;
    waited.end = wait.end;
    waited.awaited = true;
    add(before, false);
    add(waited, false);
    if (counting_) return;
    in_steps(waited, [&](std::size_t s, std::int64_t from, std::int64_t to) {
      steps_[s].waits.push_back({from, to, collective.track, waited.row, to == waited.end});
    });
  }
  // Whether the stepping thread began something in the interval.
  bool starts_within(const CategoryPiece& interval) {
    if (own_starts_.empty()) {
      intervals_.visit(own_, [&](const CategoryPiece& own) { own_starts_.push_back(own.start); });
      std::sort(own_starts_.begin(), own_starts_.end());
    }
    const auto next = std::lower_bound(own_starts_.begin(), own_starts_.end(), interval.start);
    return next != own_starts_.end() && *next < interval.end;
  }
  // Pieces mostly come in order, so the search begins where the last one ended.
  std::size_t first_ending_after(std::int64_t time) {
    if (hint_ < steps_.size() && end(hint_) > time && (hint_ == 0 || end(hint_ - 1) <= time))
      return hint_;
    const auto it = std::upper_bound(
        steps_.begin(), steps_.end(), time,
        [](std::int64_t t, const HostStep& s) { return t < s.step.start_ns + s.step.wall_ns; });
    return hint_ = static_cast<std::size_t>(it - steps_.begin());
  }

  const CategoryPieces& intervals_;
  std::uint32_t own_;
  std::vector<std::uint32_t> others_;  // tracks of its process
  std::span<HostStep> steps_;
  // By step: the end of its edges so far; while they are counted, their number.
  std::vector<std::size_t> ends_;
  BulkVector<Edge> edges_;
  std::vector<std::int64_t> own_starts_;  // empty: not computed yet
  std::vector<Collective> collectives_;
  std::size_t hint_ = 0;
  bool counting_ = true;
};

bool is_call_of_ops(SpanKind kind) { return kind == SpanKind::dispatch || kind == SpanKind::wait; }

template <typename Wanted>
std::vector<bool> processes_with(const Run& run, Wanted wanted) {
  std::vector<bool> found(run.processes.size());
  for (const Track& track : run.tracks)
    if (std::any_of(track.spans.kind.begin(), track.spans.kind.end(), wanted))
      found[track.process] = true;
  return found;
}

// Those in which only ops show the optimizer's work: no hook records spans of it.
std::vector<bool> processes_with_optimizer_ops(const Run& run, const OpAttribution& ops) {
  const std::vector<bool> has_hook =
      processes_with(run, [](SpanKind kind) { return kind == SpanKind::optimizer; });
  std::vector<bool> found = processes_with(run, is_call_of_ops);
  for (std::uint32_t t = 0; t < run.tracks.size(); ++t) {
    const SpanColumns& spans = run.tracks[t].spans;
    const TrackOps& of_track = ops.tracks[t];
    const std::uint32_t process = run.tracks[t].process;
    for (std::uint32_t row = 0; row < of_track.size() && !has_hook[process] && !found[process];
         ++row)
      found[process] = of_track.pass[row] == OpPass::optimizer && spans.kind[row] == SpanKind::op &&
                       of_track.tree.parent[row] == kNoRow;
  }
  for (std::size_t p = 0; p < found.size(); ++p) found[p] = found[p] && !has_hook[p];
  return found;
}

}  // namespace

const char* category_name(HostCategory category) {
  switch (category) {
    case HostCategory::input:
      return "input wait";
    case HostCategory::compile:
      return "compile";
    case HostCategory::gc:
      return "gc";
    case HostCategory::sync:
      return "sync wait";
    case HostCategory::copy:
      return "copy wait";
    case HostCategory::launch:
      return "launch";
    case HostCategory::optimizer:
      return "optimizer";
    case HostCategory::checkpoint:
      return span_name::kCheckpoint.data();
    case HostCategory::communication:
      return "communication";
    case HostCategory::memory:
      return "memory";
    case HostCategory::backward:
      return "backward";
    case HostCategory::forward:
      return "forward ops";
    case HostCategory::dispatch:
      return "dispatch";
    case HostCategory::device_wait:
      return "device wait";
    case HostCategory::rest:
      break;
  }
  return "python";
}

std::vector<bool> memory_ops(const StringTable& strings) {
  std::vector<bool> flags(strings.size());
  for (const char* name : {"aten::empty",
                           "aten::empty_like",
                           "aten::empty_strided",
                           "aten::resize_",
                           "aten::copy_",
                           "aten::_to_copy",
                           "aten::clone",
                           "aten::contiguous",
                           "aten::fill_",
                           "aten::zero_",
                           "aten::pin_memory",
                           "aten::_pin_memory",
                           "_CopyFromHostToGpu",
                           "_CopyFromGpuToHost",
                           "Copy",
                           "DeepCopy",
                           "Empty",
                           "Fill",
                           "OnesLike",
                           "ZerosLike",
                           "copy",
                           "copy-start",
                           "copy-done"})
    if (const std::uint32_t id = strings.find(name); id != StringTable::kNoString) flags[id] = true;
  return flags;
}

std::vector<HostStep> split_steps(const Run& run, const std::vector<Step>& all_steps,
                                  const OpAttribution& ops, const GpuWorkload& gpu) {
  std::vector<HostStep> steps;
  for (const Step& step : all_steps) steps.push_back({step, false, {}, {}, {}, {}});
  if (steps.empty()) return steps;
  const CategoryPieces intervals(run, ops, gpu);
  const std::vector<bool> has_ops = processes_with(
      run, [](SpanKind kind) { return kind == SpanKind::op || kind == SpanKind::backward; });
  const std::vector<bool> has_gpu = processes_with(run, is_gpu_work);
  const std::vector<bool> has_calls = processes_with(run, is_call_of_ops);
  const std::vector<bool> has_optimizer_ops = processes_with_optimizer_ops(run, ops);
  for (HostStep& s : steps) {
    const std::uint32_t process = run.tracks[s.step.track].process;
    s.has_ops =
        s.step.ops == StepOps::recorded || (s.step.ops == StepOps::unknown && has_ops[process]);
    s.sources = {s.step.ops != StepOps::rested && has_gpu[process], has_calls[process],
                 has_optimizer_ops[process]};
  }
  for (auto first = steps.begin(); first != steps.end();) {
    const auto last = std::find_if(
        first, steps.end(), [&](const HostStep& s) { return s.step.track != first->step.track; });
    StepEdges(intervals, {first, last}).sweep();
    first = last;
  }
  return steps;
}

}  // namespace laptime
