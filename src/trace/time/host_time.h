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
//   sync, copy, launch, backward   another thread of the process is in it during backward, and the
//                                  stepping thread waits for that
//   communication  the thread waits for a collective on another thread (collective_waits.h)
//   rest           none of these: the program's own code (Python)
//
// Consequence: the categories of a step sum exactly to its wall time.
// Input, compile, gc, optimizer and checkpoint are known in every step. If a step's ops rested, all
// others are one rest. With a GPU only recorded steps separate the launches and waits within these
// five.
// Overlapped is the time that other threads of the process spent in a category while the stepping
// thread was in another one.
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
  rest
};
inline constexpr std::size_t kHostCategories = 13;

// Known in every step; other categories only where ops were recorded. `has_gpu`: HostStep's.
inline bool is_light(HostCategory category, bool has_gpu) {
  switch (category) {
    case HostCategory::input:
    case HostCategory::compile:
    case HostCategory::gc:
      return true;
    case HostCategory::optimizer:
    case HostCategory::checkpoint:
      return !has_gpu;
    default:
      return false;
  }
}
// "input wait", "forward ops" …; for the rest "python".
const char* category_name(HostCategory category);
// By string: whether it names an op that allocates, copies or fills.
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
  bool has_gpu = false;  // launches and waits are separate categories
  std::array<std::int64_t, kHostCategories> exposed{};     // sums to step.wall_ns
  std::array<std::int64_t, kHostCategories> overlapped{};  // of the rest: 0
  std::vector<CollectiveWait> waits;  // in the order of their ends; they may overlap
};

// In the order of Analysis::steps.
std::vector<HostStep> split_steps(const Run& run, const std::vector<Step>& steps,
                                  const OpAttribution& ops, const GpuWorkload& gpu);

}  // namespace laptime
