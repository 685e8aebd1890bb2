// An op, a driver call or device work, in the form of torch.profiler.
#pragma once

#include <cstdint>

#include "trace/run/run.h"

namespace laptime {

struct TorchEvent {
  static constexpr std::uint32_t kNone = ~0u;

  std::int64_t start_ns, duration_ns;  // since the interval's begin
  std::int64_t children_ns = 0;        // of its direct children
  std::int64_t kernel_ns = 0, self_kernel_ns = 0;
  std::int64_t cpu_bytes = 0, self_cpu_bytes = 0;
  std::int64_t device_bytes = 0, self_device_bytes = 0;
  std::int64_t flops = 0;
  std::int64_t moved_bytes = 0;  // by a copy or fill
  CopyInfo copy{};               // of a copy or fill
  std::uint64_t link = 0;
  std::uint64_t id = 0;                           // torch's number of the op, if recorded
  std::uint32_t name = 0, shapes = 0, types = 0;  // string ids
  std::uint32_t call_site = 0;                    // Run::call_sites
  std::uint32_t launch_config = 0;                // of a kernel: Run::launch_configs
  std::uint32_t details = 0;                      // string id: TorchNote::details
  std::uint32_t parent = kNone;
  std::uint32_t track = 0;  // Run::tracks
  SpanKind kind = SpanKind::op;
  bool on_device = false;

  // True for ops and annotations, false for driver calls and device work.
  bool is_operation() const {
    return kind == SpanKind::op || kind == SpanKind::backward || kind == SpanKind::annotation;
  }
  bool is_annotation() const { return kind == SpanKind::annotation; }
  bool is_memory() const { return is_instant(kind); }
  std::int64_t self_ns() const { return duration_ns - children_ns; }
};

}  // namespace laptime
