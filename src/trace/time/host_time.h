// Where each step's wall time went on the stepping thread.
//
// Every moment of a step belongs to the first of these categories that fits:
//   input          the thread waits for a batch, whatever the loader does meanwhile
//   compile        something is compiled
//   gc             Python collects garbage
//   sync           the thread waits in the driver for a GPU
//   copy           the thread is in a blocking copy, or in one from pageable memory
//   launch         the thread launches GPU work
//   optimizer      an optimizer's step or zero_grad, its Python included
//   checkpoint     a scope named `checkpoint`: torch.save, or the program's own
//   communication  a collective that the thread calls itself
//   memory         an op that allocates, copies or fills: empty, copy_, clone, contiguous,
//                  _to_copy, fill_, zero_ …
//   backward       backward spans, and the engine's time between them
//   forward        any other op
//   the same ones  another thread of the process is in it, and the stepping thread is in a dispatch
//                  or waits for a result: the framework runs the ops of compiled functions on
//                  threads of its own. The first of all threads' categories counts
//   dispatch       the thread calls a compiled function, and nothing that it waits for runs
//   device wait    the thread waits for a result, and no other thread computes
//   sync, copy, launch, backward   another thread of the process is in it during torch's backward,
//                                  and the stepping thread waits for that
//   communication  the thread waits for a collective on another thread (collective_waits.h)
//   rest           none of these: the program's own code (Python)
//
// Consequence: the categories of a step sum exactly to its wall time.
// Input, compile, gc, optimizer and checkpoint are known in every step. If a step's ops rested, all
// others are one rest; dispatch and device wait then contain their ops. With a GPU only recorded
// steps separate the launches and waits within these five. If the optimizer's work is ops
// (optimizer_ops.h), only recorded steps know it.
// Overlapped is the time that other threads of the process spent in a category while the stepping
// thread was in another one. A pool thread that fetches a batch ahead is in overlapped input.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "trace/gpu/gpu_work.h"
#include "trace/ops/attribution.h"
#include "trace/steps/steps.h"

namespace laptime {

enum class HostCategory : std::uint8_t {
  input,
  compile,
  gc,
  sync,
  copy,
  launch,
  optimizer,
  checkpoint,
  communication,
  memory,
  backward,
  forward,
  dispatch,
  device_wait,
  rest
};
inline constexpr std::size_t kHostCategories = 15;

// What the records of a step's process separate.
struct HostSources {
  bool gpu = false;            // launches and waits are separate categories
  bool calls = false;          // calls of compiled functions, and waits for their results
  bool optimizer_ops = false;  // the optimizer's work is ops, not spans of a hook

  void add(const HostSources& other) {
    gpu |= other.gpu, calls |= other.calls, optimizer_ops |= other.optimizer_ops;
  }
};

// Known in every step; other categories only where ops were recorded.
inline bool is_light(HostCategory category, const HostSources& sources) {
  switch (category) {
    case HostCategory::input:
    case HostCategory::compile:
    case HostCategory::gc:
      return true;
    case HostCategory::optimizer:
      return !sources.gpu && !sources.optimizer_ops;
    case HostCategory::checkpoint:
      return !sources.gpu;
    default:
      return false;
  }
}
// "input wait", "forward ops" …; for the rest "python".
const char* category_name(HostCategory category);
// By string: whether it names an op that allocates, copies or fills; torch's, TensorFlow's and
// XLA's names.
std::vector<bool> memory_ops(const StringTable& strings);

// An interval in which the stepping thread waits for a collective, and that collective's span.
struct CollectiveWait {
  std::int64_t start, end;
  std::uint32_t track, row;
  bool done;  // the collective ended with the interval; else the step did
};

struct HostStep {
  Step step;
  bool has_ops = false;
  HostSources sources;
  std::array<std::int64_t, kHostCategories> exposed{};     // sums to step.wall_ns
  std::array<std::int64_t, kHostCategories> overlapped{};  // of the rest: 0
  std::vector<CollectiveWait> waits;  // in the order of their ends; they may overlap
};

// In the order of Analysis::steps.
std::vector<HostStep> split_steps(const Run& run, const std::vector<Step>& steps,
                                  const OpAttribution& ops, const GpuWorkload& gpu);

}  // namespace laptime
