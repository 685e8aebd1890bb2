#include "trace/analysis.h"

#include <mutex>

#include "trace/code/line_ids.h"
#include "trace/gpu/gpu_waits.h"
#include "trace/gpu/gpu_work.h"
#include "trace/memory/memory_history.h"
#include "trace/memory/memory_peak.h"
#include "trace/ops/attribution.h"
#include "trace/ops/op_times.h"
#include "trace/ranks/ranks.h"
#include "trace/steps/steps.h"
#include "trace/time/device_time.h"
#include "trace/time/host_time.h"

namespace laptime {

namespace {

template <typename T>
class Once {
 public:
  template <typename Make>
  const T& get(Make make) {
    std::call_once(made_, [&] { value_.reset(new T(make())); });
    return *value_;
  }

 private:
  std::once_flag made_;
  std::unique_ptr<const T> value_;
};

}  // namespace

struct Analysis::Parts {
  Once<std::vector<Step>> steps;
  Once<LineIds> lines;
  Once<OpAttribution> ops;
  Once<std::vector<OpTimes>> op_times;
  Once<GpuWorkload> gpu;
  Once<std::vector<GpuWait>> gpu_waits;
  Once<std::vector<HostStep>> host_steps;
  Once<DeviceSteps> device_steps;
  Once<std::vector<Rank>> ranks;
  Once<std::vector<MemoryHistory>> memory;
  Once<std::vector<MemoryPeak>> memory_peaks;
};

Analysis::Analysis(const Run& run) : run_(run), parts_(std::make_unique<Parts>()) {}
Analysis::~Analysis() = default;

const std::vector<Step>& Analysis::steps() const {
  return parts_->steps.get([&] { return find_steps(run_); });
}
const LineIds& Analysis::lines() const {
  return parts_->lines.get([&] { return LineIds(run_); });
}
const OpAttribution& Analysis::ops() const {
  return parts_->ops.get([&] { return attribute_ops(run_, steps()); });
}
const std::vector<OpTimes>& Analysis::op_times() const {
  return parts_->op_times.get([&] { return sum_op_times(run_, ops()); });
}
const GpuWorkload& Analysis::gpu() const {
  return parts_->gpu.get([&] { return GpuWorkload(run_, steps(), ops()); });
}
const std::vector<GpuWait>& Analysis::gpu_waits() const {
  return parts_->gpu_waits.get([&] { return find_gpu_waits(run_, steps(), ops(), gpu()); });
}
const std::vector<HostStep>& Analysis::host_steps() const {
  return parts_->host_steps.get([&] { return split_steps(run_, steps(), ops(), gpu()); });
}
const DeviceSteps& Analysis::device_steps() const {
  return parts_->device_steps.get(
      [&] { return split_device_steps(run_, steps(), gpu(), gpu_waits()); });
}
const std::vector<Rank>& Analysis::ranks() const {
  return parts_->ranks.get([&] { return find_ranks(run_, host_steps(), device_steps()); });
}
const std::vector<MemoryHistory>& Analysis::memory() const {
  return parts_->memory.get([&] { return read_memory_histories(run_); });
}
const std::vector<MemoryPeak>& Analysis::memory_peaks() const {
  return parts_->memory_peaks.get([&] { return find_memory_peaks(run_, ops(), memory()); });
}

}  // namespace laptime
