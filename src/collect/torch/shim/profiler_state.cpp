// Torch checks the calling thread's debug info for a profiler: before a `_RecordFunctionFast`, in
// generated code, for torch.autograd._profiler_enabled(). The state here reports a profiler and
// takes nothing from torch.
//
// Assumption: torch reads a state's configuration and type before it uses the state as its own
// profiler's.
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/csrc/profiler/orchestration/observer.h>

#include <cstdint>
#include <memory>

#include "collect/torch/shim/profiler_state.h"

namespace laptime_shim {

namespace {

namespace profiler = torch::profiler::impl;

struct State final : profiler::ProfilerStateBase {
  explicit State(bool inputs)
      : ProfilerStateBase(profiler::ProfilerConfig(profiler::ProfilerState::KINETO, inputs)) {}

  profiler::ActiveProfilerType profilerType() override {
    return profiler::ActiveProfilerType::KINETO;
  }
  void reportMemoryUsage(void*, std::int64_t, std::size_t, std::size_t, c10::Device) override {}
};

// How often the thread entered. Torch owns the state itself.
thread_local int depth = 0;

}  // namespace

int enter_profiler(int inputs) {
  try {
    if (depth == 0) {
      if (profiler::ProfilerStateBase::get() != nullptr) return -1;
      c10::ThreadLocalDebugInfo::_push(c10::DebugInfoKind::PROFILER_STATE,
                                       std::make_shared<State>(inputs != 0));
    }
    ++depth;
    return 0;
  } catch (...) {
    return -1;
  }
}

void leave_profiler() {
  if (depth == 0 || --depth != 0) return;
  try {
    c10::ThreadLocalDebugInfo::_pop(c10::DebugInfoKind::PROFILER_STATE);
  } catch (...) {  // the program has put other debug info on top and keeps it
    depth = 1;
  }
}

}  // namespace laptime_shim
