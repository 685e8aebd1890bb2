// Where each step's wall time went on the thread that steps.
//
// Every moment of a step belongs to one category: the first of these that the stepping thread is in
// —
//   input      it waits for a batch, whatever the loader does meanwhile
//   compile    something is compiled
//   gc         Python collects garbage
//   sync       it waits in the driver for a GPU
//   copy       it stands in a copy that returns only when it is done, or that the driver makes from
//              pageable memory
//   launch     it gives work to a GPU
//   optimizer  an optimizer's step or zero_grad, its Python included
//   checkpoint a scope named `checkpoint`: torch.save, or the program's own
//   communication  a collective that it calls itself
//   memory     an op that allocates, copies or fills: empty, copy_, clone, contiguous, _to_copy,
//              fill_, zero_ …
//   backward   backward spans, and the engine's way from one to the next
//   forward    any other op
//   sync, copy, launch, backward   it is in none of these, and another thread of its process is in
//                                  backward: it waits for that
//   communication  nor that, and it waits for a collective on another thread of its process
//   rest       none of these: the program's own code (Python)
// Consequence: the categories of a step sum to its wall time exactly. The first three, the
// optimizer and checkpoints are known in every step, whether its ops were recorded or rested (then
// all others are one rest); but with a GPU recorded steps tell the launches and waits within these
// apart and others cannot. When it waits for a collective, collective_waits.h says. Overlapped is
// what other threads of the process did of a category while the stepping thread was in another one.
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

// Known in every step; the others only where ops were recorded. `has_gpu`: HostStep's.
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
// "input wait", "forward ops" …; of the rest: "python".
const char* category_name(HostCategory category);
// By string: whether it is the name of an op that allocates, copies or fills.
std::vector<bool> memory_ops(const StringTable& strings);

// An interval in which the stepping thread waits for a collective, and that collective's span.
struct CollectiveWait {
  std::int64_t start, end;
  std::uint32_t track, row;
  bool done;  // the collective, with the end of the interval; else that is the step's
};

struct HostStep {
  Step step;
  bool has_ops = false;
  bool has_gpu = false;                                    // launches and waits are told apart
  std::array<std::int64_t, kHostCategories> exposed{};     // sums to step.wall_ns
  std::array<std::int64_t, kHostCategories> overlapped{};  // of the rest: 0
  std::vector<CollectiveWait> waits;  // in the order of their ends; they may overlap
};

// In the order of Analysis::steps.
std::vector<HostStep> split_steps(const Run& run, const std::vector<Step>& steps,
                                  const OpAttribution& ops, const GpuWorkload& gpu);

}  // namespace laptime
