// GPU work and waits for it in the recorded steps of the main phase. Of several GPUs, the one that
// computed most.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "advise/evidence/main_phase.h"
#include "trace/analysis.h"
#include "trace/gpu/effort/kernel_math.h"
#include "trace/time/device_mean.h"

namespace laptime {

// Similar kernels, copies or fills, per mean recorded step.
struct StepWork {
  SpanKind kind;
  std::string name, op;  // as recorded
  CopyInfo copy{};       // copies and fills
  std::string file;      // empty: unknown
  std::uint32_t line = 0;
  double calls = 0, ns = 0, bytes = 0;
  bool waits = false;  // GpuWork::waits of any of them
  double host_ns = 0;  // in calls that launched only it, not a graph
};

// Waits for the GPU at one line.
struct StepSync {
  std::string file;
  std::uint32_t line = 0;
  double waits = 0, wait_ns = 0;  // per step; a wait that continues in a second call counts once
};

class GpuSteps {
 public:
  GpuSteps(const Analysis& analysis, const MainPhase& main_phase);

  std::size_t steps() const { return steps_.size(); }
  // Exposed time per mean step over all steps, as in the breakdown.
  Part part(DeviceCategory category) const;
  double idle_ns() const;
  double kernel_ns() const;  // of all kernels, per step
  const std::vector<StepWork>& work() const { return work_; }
  const std::vector<StepSync>& syncs() const { return syncs_; }
  // The exposed part of kernels that take `ns` of a step's kernel time. Kernels may overlap.
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
