// What a run did in a row of recorded steps, as tasks and what each had to wait for.
//
// A *task* is an interval of a thread or a GPU stream that did one thing: a piece of the innermost
// span, or of the program's own code between spans. The tasks of the stepping thread tile its steps
// without a gap. A task begins when all that it depends on has ended, each with its delay; then it
// takes its own time. What a thread waited — for a sync, for backward on another thread, for a copy
// that blocks, for room in a full launch queue — is no task's own time: it follows from what is
// waited for.
//
// Consequence: replayed with every own time as recorded, tasks begin and end when they did; with
// some changed, waits grow and shrink by themselves. Assumption: the order in which threads and
// streams do things stays.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "replay/graph/step_python.h"
#include "trace/analysis.h"
#include "trace/gpu/gpu_work.h"
#include "trace/ops/attribution.h"
#include "trace/run/run.h"
#include "trace/steps/steps.h"
#include "trace/time/host_time.h"

namespace laptime::replay {

inline constexpr std::uint32_t kNone = ~0u;

// A span as part of a stack of open spans. `outer` is the frame around it.
struct Frame {
  std::uint32_t track = 0, row = 0;
  std::uint32_t outer = kNone;
  HostCategory category = HostCategory::rest;  // of moments in it, as host_time.h divides them
};

struct Dependency {
  std::uint32_t task = kNone;
  std::int64_t delay = 0;  // from that task's end
};

enum class TaskKind : std::uint8_t { host, kernel, copy, communication };

// What a task of the host stands still for: all that a GPU was given, a copy to it, room in the
// queue of launches.
enum class Wait : std::uint8_t { none, gpu, copy, queue };

struct Task {
  std::uint32_t track = 0;
  std::uint32_t frame =
      kNone;  // TaskGraph::frames; none: the program's own code. Of GPU work: that of its launch
  std::uint32_t row = kNone;          // GPU work: its span
  std::uint32_t work = kNone;         // GPU work: GpuWorkload::all
  std::uint32_t call_site = 0;        // Run::call_sites
  std::uint32_t step = kNone;         // TaskGraph::steps, of the stepping thread's tasks
  std::uint32_t launched_in = kNone;  // GPU work: the step; none: one before the graph's first
  TaskKind kind = TaskKind::host;
  Wait wait = Wait::none;  // for needs[kWaitNeed]
  HostCategory category = HostCategory::rest;
  std::int64_t start = 0, end = 0;  // as recorded
  std::int64_t own = 0;
  std::array<Dependency, 3> needs{};  // earlier tasks; none: it begins when it was recorded to
};

// Of a task's needs, the one that is waited for; a task of the host has its thread's order first.
inline constexpr std::uint8_t kWaitNeed = 2;

struct TaskGraph {
  std::span<const HostStep> steps;  // neighbours on one thread, in their order
  std::vector<Frame> frames;        // outer ones before inner ones
  std::vector<Task> tasks;          // what a task needs stands before it
  bool has_gpu = false;
  std::int64_t usual_launch = 0;  // the median call that launches
  double host_left = 1;  // of what the host's tasks take without the recorder's known share: what
                         // steps show in which nothing is recorded
};

// What all graphs of a run are made from.
struct GraphSource {
  explicit GraphSource(const Analysis& analysis);

  const Analysis& analysis;
  const Run& run;
  const OpAttribution& ops;
  const GpuWorkload& gpu;
  StepPythons python;
  std::vector<bool> memory_ops;                    // by string: host_time.h
  std::vector<bool> collectives;                   // by string: kernel_names.h
  std::vector<std::vector<std::uint32_t>> orders;  // by track: end_order of its spans
  std::vector<std::uint32_t>
      gpu_by_launch;  // rows of gpu.all(), by the start of their launch (unknown: by their own)
};

// Contract: `steps` are neighbours on one thread, and all of them recorded in full.
TaskGraph build_task_graph(const GraphSource& source, std::span<const HostStep> steps);

}  // namespace laptime::replay
