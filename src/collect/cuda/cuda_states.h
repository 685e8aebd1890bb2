// The words in which the GPU's collector is asked and answers, also across liblaptime_cuda.so.
#pragma once

namespace laptime::cuda {

// On whose behalf the GPU is recorded: as long as anybody requests it.
enum Request : unsigned { kRecording = 1, kProfiler = 2, kEverybody = ~0u };

// What becomes of CUPTI when nobody requests to record any more: it rests in the process; or it is
// taken out as soon as everything has arrived. `leave_soon`: the caller has the program wait for
// the GPU, so that what has not arrived a moment later never will.
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
