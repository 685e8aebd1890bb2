// All work of a run's GPUs: kernels, copies and fills. Each has its launch and its call site.
//
// Work may begin before its launching call ends, but never before that call begins. Work with an
// earlier begin keeps its time, gets no launch and no call site, and is counted.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/gpu/launches.h"
#include "trace/ops/attribution.h"
#include "trace/run/intervals.h"
#include "trace/run/run.h"
#include "trace/steps/steps.h"

namespace laptime {

inline bool is_gpu_work(SpanKind kind) {
  return kind == SpanKind::kernel || kind == SpanKind::copy || kind == SpanKind::fill;
}

// A larger copy is a batch, not a few numbers.
inline constexpr std::uint64_t kSmallCopy = 4'096;  // bytes

struct GpuWork {
  std::uint32_t track = 0, row = 0;
  std::uint32_t launch_config = 0;  // of a kernel: Run::launch_configs, 0 unknown
  std::uint64_t bytes = 0;          // copies and fills
  CopyInfo copy{};                  // copies and fills
  const Launch* launch = nullptr;   // null: not recorded, or it began after the work
  std::uint32_t op = 0;             // Run::strings, 0 unknown
  std::uint32_t call_site = 0;      // Run::call_sites, 0 unknown
  OpPass pass = OpPass::none;       // none: unknown
  bool in_graph = false;            // a node of a CUDA graph: one launch starts many
  // A copy whose call returned only when the copy was done or under way. Never true for a graph's
  // launch.
  bool waits = false;
};

// A stream is a track of GPU work on one device.
bool is_stream(const Track& track);
inline std::uint32_t device_of(const Track& track) {
  return static_cast<std::uint32_t>(track.os_id >> 32);
}
inline std::uint32_t stream_of(const Track& track) {
  return static_cast<std::uint32_t>(track.os_id);
}

class GpuWorkload {
 public:
  GpuWorkload(const Run& run, const std::vector<Step>& steps, const OpAttribution& ops);
  GpuWorkload(const GpuWorkload&) = delete;

  const std::vector<GpuWork>& all() const { return work_; }  // by track, in the order of their rows
  const std::vector<Launches>& launches() const {
    return launches_;
  }  // by process; none without a GPU
  std::uint64_t before_launch() const {
    return before_launch_;
  }  // the amount of work that began before its launch

 private:
  void add_track(const Run& run, std::uint32_t track, const Intervals& left_out);

  std::vector<Launches> launches_;
  std::vector<GpuWork> work_;
  std::uint64_t before_launch_ = 0;
};

// GPU time of each call site, forward and backward. Empty if the run has no GPU records.
std::vector<std::uint64_t> gpu_ns_by_call_site(const Run& run, const GpuWorkload& gpu);

}  // namespace laptime
