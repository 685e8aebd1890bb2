// A run and the facts that several tables need. Each fact is computed when it is first requested,
// then kept.
//
// Assumption: the run outlives this object and does not change. Several threads may request a fact:
// the first computes it, the others wait.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

struct Step;
struct HostStep;
struct DeviceSteps;
struct GpuWait;
struct Rank;
struct OpAttribution;
struct OpTimes;
struct MemoryHistory;
struct MemoryPeak;
class LineIds;
class GpuWorkload;

class Analysis {
 public:
  explicit Analysis(const Run& run);
  ~Analysis();
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;

  const Run& run() const { return run_; }
  const std::vector<Step>& steps() const;               // find_steps
  const LineIds& lines() const;                         // which call sites are one line
  const OpAttribution& ops() const;                     // attribute_ops
  const std::vector<OpTimes>& op_times() const;         // sum_op_times: by call site
  const GpuWorkload& gpu() const;                       // all kernels, copies and fills
  const std::vector<GpuWait>& gpu_waits() const;        // find_gpu_waits
  const std::vector<HostStep>& host_steps() const;      // split_steps
  const DeviceSteps& device_steps() const;              // split_device_steps
  const std::vector<Rank>& ranks() const;               // find_ranks
  const std::vector<MemoryHistory>& memory() const;     // read_memory_histories
  const std::vector<MemoryPeak>& memory_peaks() const;  // find_memory_peaks

 private:
  struct Parts;
  const Run& run_;
  const std::unique_ptr<Parts> parts_;
};

}  // namespace laptime
