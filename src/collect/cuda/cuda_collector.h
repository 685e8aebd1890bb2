// The GPU's collector: its states and the transitions between them.
//
//   idle ──on──▶ capturing ──off──▶ draining ──all arrived──▶ leaving ──▶ finalizing ──▶ finalized
//    │               ▲                 │                         │                           │
//    ▼ on fails      └────────on───────┴────────────on───────────┴─────────────on────────────┘
//   failed, permanently: another tool holds CUPTI, no permission …
//
// The program's next launch moves it from leaving to finalizing.
//
// While it captures or drains, its own thread requests finished buffers from CUPTI, so that the
// program's threads never do. While it drains, it records no new work, but work that runs on the
// GPU still arrives. Then CUPTI is taken out of the process, because a CUPTI that only rests slows
// every launch. As CUPTI requires, this happens in a callback at the end of one of the program's
// own calls.
//
// Contract: any thread may call on, off, flush and tick. `control_` is held while CUPTI is called,
// but never taken in a callback. Callbacks move the state from leaving to finalizing to finalized;
// all other transitions happen under the lock. There is one object per process, which is never
// destroyed: CUPTI calls back until the process ends. A forked child does not use its parent's
// collector.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "collect/cuda/activity_reader.h"
#include "collect/cuda/buffer_pool.h"
#include "collect/cuda/cuda_api.h"
#include "collect/cuda/cuda_states.h"
#include "collect/cuda/driver_memory.h"
#include "collect/cuda/gpu_clock.h"
#include "collect/cuda/launch_context.h"
#include "collect/cuda/launch_recorder.h"

namespace laptime::cuda {

class CudaCollector {
 public:
  explicit CudaCollector(CudaApi& api);

  // Returns whether it captures afterwards.
  bool on(unsigned who);
  // Records no new work, unless another request is open. Called again while CUPTI drains, the
  // stronger `after` counts.
  void off(unsigned who, After after);
  // While disabled, all requests to record are ignored.
  void set_disabled(bool disabled);
  // From the next on(), also records memory that the program takes from the driver.
  void request_driver_memory() { memory_.request(); }
  void flush();
  // For the end of a recording: switches off and delivers what the GPU has finished or finishes in
  // a moment.
  void stop();
  // For the end of the process: stop(), then CUPTI is never called again. Contract: CUDA still
  // works.
  void end();

  // Whether the driver was initialised.
  bool knows_devices() const { return facts_epoch_.load(std::memory_order_relaxed) != 0; }
  State state() const { return state_.load(std::memory_order_acquire); }
  LaunchContext& context() { return launches_.context(); }
  struct Counts {
    std::uint64_t launches, records;
  };
  Counts counts() const { return {launches_.launches(), reader_.records()}; }

  // The work of the flush thread, every kFlushPeriodMs. Tests call it themselves.
  void tick();
  static constexpr unsigned kFlushPeriodMs = 100;
  // False if no thread could be started.
  bool start_flush_thread();

 private:
  bool set_up();
  bool take_back_leaving();
  unsigned patience() const;
  bool is_forked() const;
  void write_facts();
  void fail(ApiResult result, const std::string& other);
  void warn_failed();
  std::uint64_t unanswered() const;
  void deliver_rest();
  ApiResult enable_kinds(bool on);
  void finalize_now();
  void count_dropped(void* context = nullptr, std::uint32_t stream = 0);
  static void on_callback(void* user, std::uint32_t domain, std::uint32_t id, const void* data);
  static void on_buffer_request(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records);
  static void on_buffer_complete(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                 std::size_t size, std::size_t valid);
  static std::uint64_t on_clock();

  alignas(64) std::atomic<State> state_{
      State::idle};  // beside fields that are rarely written, because every callback reads it
  CudaApi& api_;
  GpuClock clock_;
  BufferPool pool_;
  LaunchRecorder launches_;
  ActivityReader reader_;
  DriverMemory memory_;
  std::mutex control_;
  unsigned requests_ = 0;
  bool disabled_ = false;
  std::atomic<std::uint32_t> generation_{0};
  After after_ = After::rest;
  std::uint64_t drained_records_ = 0;  // at the last tick
  unsigned quiet_ticks_ = 0;
  bool awaited_in_vain_ = false;
  std::atomic<std::uint64_t> dropped_{0};  // records that CUPTI dropped although they were awaited
  std::uint32_t failed_epoch_ = 0;         // the recording that has the warning of the failure
  std::atomic<std::uint32_t> facts_epoch_{0};  // the recording that has the devices' facts
  int pid_;
  std::atomic<bool> flush_thread_{false};
};

}  // namespace laptime::cuda
