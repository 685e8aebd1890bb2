// All that a run's GPUs did — kernels, copies, fills — each with the launch that caused it and the
// line that it belongs to.
//
// Work may begin before the call that launches it ends, never before that begins: what a file puts
// there keeps its time, has no launch and no line of it, and is counted.
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

// A copy of a number or a few, not of a batch.
inline constexpr std::uint64_t kSmallCopy = 4'096;  // bytes

struct GpuWork {
  std::uint32_t track = 0, row = 0;
  std::uint32_t launch_config = 0;  // of a kernel: Run::launch_configs, 0 unknown
  std::uint64_t bytes = 0;          // copies and fills
  CopyInfo copy{};                  // the same
  const Launch* launch = nullptr;   // null: not recorded, or begun after the work
  std::uint32_t op = 0;             // Run::strings, 0 unknown
  std::uint32_t call_site = 0;      // Run::call sites, 0 unknown
  OpPass pass = OpPass::none;       // none: unknown
  bool in_graph = false;            // a node of a CUDA graph ran it: its launch is that of many
  bool waits = false;  // a copy, and the call that made it returned only when it was done or on its
                       // way; a graph's launch does not
};

// A track of GPU work: which device and stream it is.
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
  }  // how much of it began before its launch

 private:
  void add_track(const Run& run, std::uint32_t track, const Intervals& left_out);

  std::vector<Launches> launches_;
  std::vector<GpuWork> work_;
  std::uint64_t before_launch_ = 0;
};

// What GPUs did for each call site, forward and backward; empty where nothing of a GPU is recorded.
std::vector<std::uint64_t> gpu_ns_by_call_site(const Run& run, const GpuWorkload& gpu);

}  // namespace laptime
