// Turns CUPTI's buffers into spans on the tracks of GPU streams.
//
// A kernel's span carries its launch's link, its launch config and its name's call site
// (kernel_call_sites.h). The span of a copy or fill carries its bytes and its CopyInfo. Work of a
// CUDA graph also has the link of its node.
//
// Assumption: several threads may deliver. Consequence: there is one lock, which no thread of the
// program takes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "collect/cuda/awaited_launches.h"
#include "collect/cuda/cuda_api.h"
#include "collect/cuda/gpu_clock.h"
#include "format/copy_info.h"
#include "format/facts.h"
#include "format/record.h"
#include "record/records.h"

namespace laptime::cuda {

class ActivityReader {
 public:
  ActivityReader(CudaApi& api, const GpuClock& clock, AwaitedLaunches& awaited)
      : api_(api), clock_(clock), awaited_(awaited) {}

  void read(std::uint8_t* buffer, std::size_t valid, std::uint32_t generation);
  // Whether incomplete records are delivered, too. They have no times and answer no launch. If
  // another record has answered the launch (a graph's, by another node), a warning counts them.
  void take_incomplete(bool on) { takes_incomplete_.store(on, std::memory_order_relaxed); }

  std::uint64_t records() const { return records_.load(std::memory_order_relaxed); }

 private:
  struct Work {  // the common part of all records of GPU work
    std::uint64_t start, end;
    std::uint32_t device, context, stream, correlation;
    std::uint64_t graph_node;
  };
  struct Payload {
    record::Arg args[3];
    std::uint32_t count = 0;
    void add(ArgKey key, ArgType type, std::uint64_t value) { args[count++] = {key, type, value}; }
  };
  struct KnownName {
    const char* address = nullptr;
    std::uint32_t id = 0;
    std::uint32_t call_site = 0;  // KernelCallSites
    std::string text{};
  };

  void take(const Activity& record, std::size_t room);
  void take(const ActivityKernel& kernel);
  void take(const ActivityMemcpy& copy);
  void take(const ActivityPeerCopy& copy);
  void take(const ActivityMemset& fill);
  void put_copy(const Work& work, const CopyInfo& copy, std::uint64_t bytes);
  void put(const Work& work, std::uint32_t name, SpanKind kind, Payload payload);
  void begin_recording();
  std::uint16_t track(const Work& work);
  const KnownName& kernel_name(const char* name);
  std::uint32_t launch_config(const ActivityKernel& kernel);

  CudaApi& api_;
  const GpuClock& clock_;
  std::mutex reading_;
  std::uint32_t generation_ = 0;
  std::uint32_t epoch_ = 0;
  std::uint64_t bad_times_ = 0, malformed_ = 0, unnamed_configurations_ = 0, incomplete_ = 0;
  std::atomic<std::uint64_t> records_{0};
  AwaitedLaunches& awaited_;
  std::atomic<bool> takes_incomplete_{false};
  std::map<std::array<std::uint32_t, 3>, std::uint16_t>
      tracks_;  // device, context, stream; of this epoch
  std::array<KnownName, 512> names_{};
  std::uint64_t call_sites_version_ = 0;  // KernelCallSites' version when names were looked up
  std::map<LaunchConfig, std::uint32_t> configs_;
};

}  // namespace laptime::cuda
