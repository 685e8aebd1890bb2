// Consecutive recorded steps as tasks and their dependencies.
//
// A *task* is an interval in which a thread or a GPU stream did one thing: a piece of the innermost
// span, or of the program's own code between spans. The tasks of the stepping thread fill its steps
// without a gap.
//
// A task begins when all of its needs have ended, each with its delay. Then it takes its own time.
// Waiting is no task's own time: it follows from the needs. This holds for a sync, for backward on
// another thread, for a blocking copy, and for room in a full launch queue.
//
// Assumption: threads and streams do things in the same order after a change.
// Consequence: replayed with recorded own times, tasks begin and end as recorded. With changed
// times, waits grow and shrink automatically.
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

// A span in a stack of open spans. `outer` is the frame around it.
struct Frame {
  std::uint32_t track = 0, row = 0;
  std::uint32_t outer = kNone;
  HostCategory category = HostCategory::rest;  // of moments in it, as in host_time.h
};

struct Dependency {
  std::uint32_t task = kNone;
  std::int64_t delay = 0;  // from that task's end
};

enum class TaskKind : std::uint8_t { host, kernel, copy, communication };

// What blocks a host task: all launched GPU work, a copy, or room in the launch queue.
enum class Wait : std::uint8_t { none, gpu, copy, queue };

struct Task {
  std::uint32_t track = 0;
  // TaskGraph::frames. None: the program's own code. GPU work has its launch's frame.
  std::uint32_t frame = kNone;
  std::uint32_t row = kNone;          // GPU work: its span
  std::uint32_t work = kNone;         // GPU work: GpuWorkload::all
  std::uint32_t call_site = 0;        // Run::call_sites
  std::uint32_t step = kNone;         // TaskGraph::steps, of the stepping thread's tasks
  std::uint32_t launched_in = kNone;  // GPU work: the step; none: before the graph's first
  TaskKind kind = TaskKind::host;
  Wait wait = Wait::none;  // for needs[kWaitNeed]
  HostCategory category = HostCategory::rest;
  std::int64_t start = 0, end = 0;  // as recorded
  std::int64_t own = 0;
  std::array<Dependency, 3> needs{};  // earlier tasks; none: it begins when recorded
};

// The index of the need that a task waits for. A host task's first need is the previous task of its
// thread.
inline constexpr std::uint8_t kWaitNeed = 2;

struct TaskGraph {
  std::span<const HostStep> steps;  // consecutive on one thread
  std::vector<Frame> frames;        // outer ones before inner ones
  std::vector<Task> tasks;          // a task's needs come before it
  bool has_gpu = false;
  std::int64_t usual_launch = 0;  // the median launching call
  // The share of the host tasks' time that remains without the known share of the recorder. Steps
  // without records show it.
  double host_left = 1;
};

// The source of all graphs of a run.
struct GraphSource {
  explicit GraphSource(const Analysis& analysis);

  const Analysis& analysis;
  const Run& run;
  const OpAttribution& ops;
  const GpuWorkload& gpu;
  StepPythons python;
  std::vector<bool> memory_ops;                    // by string: host_time.h
  std::vector<bool> collectives;                   // by string: kernel_names.h
  std::vector<bool> torch_nodes;                   // by string: torch_nodes.h
  std::vector<std::vector<std::uint32_t>> orders;  // by track: end_order of its spans
  // Rows of gpu.all(), by the start of their launch. If that is unknown, by their own start.
  std::vector<std::uint32_t> gpu_by_launch;
};

// Contract: `steps` are consecutive on one thread, and all are completely recorded.
TaskGraph build_task_graph(const GraphSource& source, std::span<const HostStep> steps);

}  // namespace laptime::replay
