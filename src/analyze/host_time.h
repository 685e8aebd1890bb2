// Where each step's wall time went on the thread that steps.
//
// Every moment of a step belongs to one category: the first of these that the stepping thread is in —
//   input      it waits for a batch, whatever the loader does meanwhile
//   compile    something is compiled
//   gc         Python collects garbage
//   optimizer  an optimizer's step or zero_grad, its Python included
//   memory     an op that allocates, copies or fills: empty, copy_, clone, contiguous, _to_copy, fill_, zero_ …
//   backward   backward spans, and the engine's way from one to the next
//   forward    any other op
//   backward   it is in none of these, and another thread of its process is in backward: it waits for that
//   rest       none of these: the program's own code (Python)
// Consequence: the categories of a step sum to its wall time exactly. The first four are known in every step and come first,
// so that they do not depend on whether a step's ops were recorded; where these rested, all others are one rest.
// Overlapped is what other threads of the process did of a category while the stepping thread was in another one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyze/analysis.h"
#include "analyze/steps.h"

namespace laptime {

enum class HostCategory : std::uint8_t { input, compile, gc, optimizer, memory, backward, forward, rest };
inline constexpr std::size_t kHostCategories = 8;
// Known in every step; the others only where ops were recorded.
inline bool is_light(HostCategory category) { return category < HostCategory::memory; }

struct HostStep {
  Step step;
  bool has_ops = false;
  std::array<std::int64_t, kHostCategories> exposed{};     // sums to step.wall_ns
  std::array<std::int64_t, kHostCategories> overlapped{};  // of the rest: 0
};

// In the order of Analysis::steps.
std::vector<HostStep> split_steps(const Analysis& analysis);

}  // namespace laptime
