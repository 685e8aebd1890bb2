// What a GPU did in the recorded steps of the main phase main phase, and where the host waited for
// it. Of several GPUs the one that computed most.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "advise/evidence/main_phase.h"
#include "trace/analysis.h"
#include "trace/gpu/effort/kernel_math.h"
#include "trace/time/device_mean.h"

namespace laptime {

// Kernels, copies and fills that are alike, in a mean recorded step.
struct StepWork {
  SpanKind kind;
  std::string name, op;  // as recorded
  CopyInfo copy{};       // of copies and fills
  std::string file;      // empty: unknown
  std::uint32_t line = 0;
  double calls = 0, ns = 0, bytes = 0;
  bool waits = false;  // GpuWork's, of any of them
  double host_ns = 0;  // in the calls that launched it alone, not in a graph
};

// Waits for the GPU at one line.
struct StepSync {
  std::string file;
  std::uint32_t line = 0;
  double waits = 0, wait_ns = 0;  // a step; of a wait that goes on in a second call both are one
};

class GpuSteps {
 public:
  GpuSteps(const Analysis& analysis, const MainPhase& main_phase);

  std::size_t steps() const { return steps_.size(); }
  // Exposed time of a mean step, whether recorded or not, as breakdown has it.
  Part part(DeviceCategory category) const;
  double idle_ns() const;
  double kernel_ns() const;  // of all kernels of a step
  const std::vector<StepWork>& work() const { return work_; }
  const std::vector<StepSync>& syncs() const { return syncs_; }
  // The exposed computing of kernels that take `ns` of a step's kernels, which may overlap each
  // other.
  double exposed_ns(double ns) const;

 private:
  void choose_device(const Analysis& analysis, const MainPhase& main_phase);
  void gather_work(const Analysis& analysis);
  void gather_syncs(const Analysis& analysis);

  std::vector<DeviceStep> steps_;
  DeviceMean mean_;
  std::vector<StepWork> work_;
  std::vector<StepSync> syncs_;
};

}  // namespace laptime
