#include "replay/graph/graph_parts.h"

#include <algorithm>

#include "format/names.h"
#include "trace/code/span_call_site.h"
#include "trace/run/nesting.h"

namespace laptime::replay {

namespace {

// How many rows after the last one that ends in time are searched for one that began before: a wait
// that crosses a step's end.
constexpr std::size_t kCrossing = 64;

HostCategory own_category(const GraphSource& source, const SpanColumns& spans, const TrackOps& ops,
                          std::uint32_t row) {
  const bool is_collective = source.collectives[spans.name[row]];
  switch (spans.kind[row]) {
    case SpanKind::loader:
      return HostCategory::input;
    case SpanKind::compile:
      return HostCategory::compile;
    case SpanKind::gc:
      return HostCategory::gc;
    case SpanKind::sync:
      return HostCategory::sync;
    case SpanKind::launch:
      return HostCategory::launch;
    case SpanKind::optimizer:
      return HostCategory::optimizer;
    case SpanKind::backward:
      return HostCategory::backward;
    case SpanKind::dispatch:
      return HostCategory::dispatch;
    case SpanKind::wait:
      return HostCategory::device_wait;
    case SpanKind::op:
      if (is_collective) return HostCategory::communication;
      if (row < ops.size() && ops.pass[row] == OpPass::optimizer) return HostCategory::optimizer;
      return source.memory_ops[spans.name[row]] ? HostCategory::memory : HostCategory::forward;
    case SpanKind::annotation:
      if (is_collective) return HostCategory::communication;
      return row < ops.size() && ops.pass[row] == OpPass::optimizer &&
                     source.run.strings[spans.name[row]].starts_with(span_name::kOptimizer)
                 ? HostCategory::optimizer
                 : HostCategory::rest;
    default:
      return HostCategory::rest;
  }
}

// Rows within the window or partly in it, outer ones first.
std::vector<std::uint32_t> rows_between(const SpanColumns& spans,
                                        const std::vector<std::uint32_t>& order, std::int64_t from,
                                        std::int64_t to) {
  const auto row_at = [&](std::size_t i) {
    return order.empty() ? static_cast<std::uint32_t>(i) : order[i];
  };
  std::vector<std::uint32_t> rows;
  std::size_t beyond = 0;
  for (std::size_t i = first_ending_after(spans, order, from);
       i < spans.size() && beyond < kCrossing; ++i) {
    const std::uint32_t row = row_at(i);
    beyond += spans.end(row) > to;
    if (is_nested_kind(spans.kind[row]) && spans.start[row] < to && spans.duration[row] > 0)
      rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    return spans.start[a] != spans.start[b] ? spans.start[a] < spans.start[b]
                                            : spans.duration[a] > spans.duration[b];
  });
  return rows;
}

class Tiling {
 public:
  Tiling(const GraphSource& source, std::uint32_t track, std::int64_t from, std::int64_t to,
         std::span<const std::int64_t> cuts, TaskGraph& graph)
      : source_(source),
        spans_(source.run.tracks[track].spans),
        ops_(source.ops.tracks[track]),
        track_(track),
        now_(from),
        to_(to),
        cuts_(cuts),
        graph_(graph) {}

  void run() {
    for (const std::uint32_t row : rows_between(spans_, source_.orders[track_], now_, to_)) {
      close_until(spans_.start[row]);
      advance(spans_.start[row]);
      open(row);
    }
    close_until(to_);
    advance(to_);
  }

 private:
  void open(std::uint32_t row) {
    const std::uint32_t outer = open_.empty() ? kNone : open_.back();
    HostCategory category = own_category(source_, spans_, ops_, row);
    if (outer != kNone) category = std::min(category, graph_.frames[outer].category);
    open_.push_back(static_cast<std::uint32_t>(graph_.frames.size()));
    graph_.frames.push_back({track_, row, outer, category});
  }
  void close_until(std::int64_t time) {
    while (!open_.empty()) {
      const std::int64_t end = spans_.end(graph_.frames[open_.back()].row);
      if (end > time) return;
      advance(end);
      open_.pop_back();
    }
  }
  void advance(std::int64_t time) {
    time = std::min(time, to_);
    while (now_ < time) {
      const auto cut = std::upper_bound(cuts_.begin(), cuts_.end(), now_);
      const std::int64_t until = cut == cuts_.end() ? time : std::min(*cut, time);
      add(until);
      now_ = until;
    }
  }
  void add(std::int64_t until) {
    Task task;
    task.track = track_;
    if (!open_.empty()) {
      task.frame = open_.back();
      const Frame& frame = graph_.frames[task.frame];
      task.category = frame.category;
      for (std::uint32_t f = task.frame; f != kNone && task.call_site == 0;
           f = graph_.frames[f].outer)
        task.call_site = call_site_of(graph_.frames[f].row);
    }
    task.start = now_, task.end = until, task.own = until - now_;
    if (last_ != kNone) task.needs[0] = {last_, 0};
    last_ = static_cast<std::uint32_t>(graph_.tasks.size());
    graph_.tasks.push_back(task);
  }

  // Tracks without ops have only the call sites recorded with calls.
  std::uint32_t call_site_of(std::uint32_t row) const {
    return row < ops_.call_site.size() ? ops_.call_site[row] : recorded_call_site(spans_, row);
  }

  const GraphSource& source_;
  const Spans& spans_;
  const TrackOps& ops_;
  std::uint32_t track_;
  std::int64_t now_, to_;
  std::span<const std::int64_t> cuts_;
  TaskGraph& graph_;
  std::vector<std::uint32_t> open_;
  std::uint32_t last_ = kNone;
};

}  // namespace

std::size_t first_ending_after(const SpanColumns& spans, const std::vector<std::uint32_t>& order,
                               std::int64_t time) {
  std::size_t first = 0, count = spans.size();
  while (count > 0) {
    const std::size_t half = count / 2;
    const std::size_t middle = order.empty() ? first + half : order[first + half];
    if (spans.end(middle) <= time) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

void add_host_tasks(const GraphSource& source, std::uint32_t track, std::int64_t from,
                    std::int64_t to, std::span<const std::int64_t> cuts, TaskGraph& graph) {
  Tiling(source, track, from, to, cuts, graph).run();
}

}  // namespace laptime::replay
