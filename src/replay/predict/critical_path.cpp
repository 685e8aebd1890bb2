#include "replay/predict/critical_path.h"

#include <algorithm>
#include <map>

#include "tables/steps/host_columns.h"
#include "trace/gpu/kernel_names.h"

namespace laptime::replay {

namespace {

constexpr const char* kLatency = "launch latency";

bool only_names(SpanKind kind) { return kind == SpanKind::scope || kind == SpanKind::annotation; }

// The name that a reader knows the task by: the outermost span that does something, else the
// innermost span.
PathPart describe(const GraphSource& source, const TaskGraph& graph, const Task& task) {
  const Run& run = source.run;
  if (task.row != kNone)
    return {task.track, short_kernel_name(run.strings[run.tracks[task.track].spans.name[task.row]]),
            task.call_site, 0};
  if (task.frame == kNone)
    return {task.track,
            host_category_name(task.category,
                               knowledge_of(run, graph.steps[task.step == kNone ? 0 : task.step])),
            task.call_site, 0};
  std::uint32_t shown = kNone;
  for (std::uint32_t f = task.frame; f != kNone; f = graph.frames[f].outer)
    if (!only_names(run.tracks[graph.frames[f].track].spans.kind[graph.frames[f].row])) shown = f;
  const Frame& frame = graph.frames[shown == kNone ? task.frame : shown];
  const auto& call_sites = source.ops.tracks[frame.track].call_site;
  return {task.track, std::string(run.strings[run.tracks[frame.track].spans.name[frame.row]]),
          frame.row < call_sites.size() ? call_sites[frame.row] : 0, 0};
}

bool alike(const PathPart& a, const PathPart& b) {
  return a.track == b.track && a.call_site == b.call_site && a.name == b.name;
}

// The path from the end of `last` back to `begin`.
std::vector<PathPart> path_to(const GraphSource& source, const TaskGraph& graph,
                              const Replay& replay, std::uint32_t last, std::int64_t begin) {
  std::vector<PathPart> parts;
  const auto add = [&](PathPart part, std::int64_t from, std::int64_t to) {
    part.ns = to - std::max(from, begin);
    if (part.ns <= 0) return;
    if (!parts.empty() && alike(parts.back(), part))
      parts.back().ns += part.ns;
    else
      parts.push_back(std::move(part));
  };
  for (std::uint32_t i = last; i != kNone && replay.end[i] > begin;) {
    const Task& task = graph.tasks[i];
    const std::uint8_t cause = replay.cause[i];
    const std::uint32_t before = cause == Replay::kFree ? kNone : task.needs[cause].task;
    PathPart part = describe(source, graph, task);
    add(part, replay.start[i], replay.end[i]);
    if (task.kind != TaskKind::host && before != kNone) part.name = kLatency;
    add(std::move(part), before == kNone ? begin : replay.end[before], replay.start[i]);
    i = before;
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::uint32_t last_of_host(const TaskGraph& graph, std::uint32_t step) {
  std::uint32_t last = kNone;
  for (std::uint32_t i = 0; i < graph.tasks.size(); ++i)
    if (graph.tasks[i].step == step) last = i;
  return last;
}

}  // namespace

std::vector<PathPart> critical_path(const GraphSource& source, const TaskGraph& graph,
                                    const Replay& replay, std::uint32_t step) {
  const StepEnds ends = step_ends(graph, replay);
  return path_to(source, graph, replay, last_of_host(graph, step),
                 step == 0 ? ends.host_begin : ends.host[step - 1]);
}

std::vector<PathPart> steady_path(const GraphSource& source, const TaskGraph& graph,
                                  const Replay& replay, std::uint32_t step) {
  const StepEnds ends = step_ends(graph, replay);
  const std::int64_t host = ends.host[step] - (step == 0 ? ends.host_begin : ends.host[step - 1]),
                     begin = step == 0 ? ends.begin : ends.all[step - 1];
  if (ends.all[step] - begin <= host) return critical_path(source, graph, replay, step);
  std::uint32_t last = last_of_host(graph, step);
  for (std::uint32_t i = 0; i < graph.tasks.size(); ++i)
    if (graph.tasks[i].kind != TaskKind::host && graph.tasks[i].launched_in <= step &&
        (last == kNone || replay.end[i] > replay.end[last]))
      last = i;
  return path_to(source, graph, replay, last, begin);
}

std::vector<PathPart> sum_path(const LineIds& lines, const std::vector<PathPart>& path) {
  std::map<std::pair<std::string, std::uint32_t>, PathPart> sums;
  for (const PathPart& part : path) {
    PathPart& sum = sums.try_emplace({part.name, lines[part.call_site]},
                                     PathPart{part.track, part.name, part.call_site, 0})
                        .first->second;
    sum.ns += part.ns;
  }
  std::vector<PathPart> result;
  for (auto& [key, part] : sums) result.push_back(std::move(part));
  std::stable_sort(result.begin(), result.end(),
                   [](const PathPart& a, const PathPart& b) { return a.ns > b.ns; });
  return result;
}

}  // namespace laptime::replay
