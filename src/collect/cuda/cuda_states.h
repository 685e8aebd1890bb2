// The requests to the GPU's collector and its answers, also across liblaptime_cuda.so.
#pragma once

namespace laptime::cuda {

// Who requests that the GPU be recorded. It is recorded while any request is open.
enum Request : unsigned { kRecording = 1, kProfiler = 2, kEverybody = ~0u };

// What happens to CUPTI when the last request ends: it stays in the process, or it is taken out as
// soon as everything has arrived. leave_soon: the caller makes the program wait for the GPU. So
// records that are missing a moment later will never come.
enum class After : int { rest = 0, leave = 1, leave_soon = 2 };

enum class State : int {
  idle = 0,
  capturing = 1,
  draining = 2,
  leaving = 3,
  finalizing = 4,
  finalized = 5,
  failed = 6
};

}  // namespace laptime::cuda
