// The GPU's collector: its states and what moves it between them.
//
//   idle ──on──▶ capturing ──off──▶ draining ──all arrived──▶ leaving ──▶ finalizing ──▶ finalized
//    │               ▲                 │                         │                           │
//    ▼ on fails      └────────on───────┴────────────on───────────┴─────────────on────────────┘
//   failed, for good: another tool holds CUPTI, no permission …
//
// The program's next launch moves it from leaving to finalizing.
//
// While it captures or drains a thread of its own asks CUPTI for finished buffers, so that the
// program never does. Draining: no new work is recorded, what runs on the GPU still arrives; then
// CUPTI is taken out of the process, inside a callback at the end of one of the program's own calls
// as CUPTI wants it, because a CUPTI that only rests slows every launch.
//
// Contract: any thread may call on, off, flush and tick. `control_` is held while CUPTI is called
// but never taken in a callback; callbacks move the state from leaving to finalizing to finalized,
// all else happens under the lock. One object a process, never destroyed: CUPTI calls back until
// the process is gone. A forked child leaves its parent's collector alone.
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

  // True when it captures afterwards.
  bool on(unsigned who);
  // Unless somebody else requests it: records no new work. Said again while CUPTI drains, the
  // stronger request counts.
  void off(unsigned who, After after);
  // While away nobody's request is heard.
  void stay_away(bool away);
  // From the next on(): memory that the program takes from the driver.
  void want_driver_memory() { memory_.want(); }
  void flush();
  // For the end of a recording: off, and what the GPU has finished or finishes in a moment is
  // delivered.
  void stop();
  // The process ends: stop(), and CUPTI is not called again. Contract: CUDA still works.
  void end();

  // The driver was initialised.
  bool knows_devices() const { return facts_epoch_.load(std::memory_order_relaxed) != 0; }
  State state() const { return state_.load(std::memory_order_acquire); }
  LaunchContext& context() { return launches_.context(); }
  struct Counts {
    std::uint64_t launches, records;
  };
  Counts counts() const { return {launches_.launches(), reader_.records()}; }

  // What the flush thread does every kFlushPeriodMs; tests call it themselves.
  void tick();
  static constexpr unsigned kFlushPeriodMs = 100;
  // False where no thread can be had.
  bool start_flush_thread();

 private:
  bool set_up();
  bool take_back_leaving();
  unsigned patience() const;
  bool is_forked() const;
  void write_facts();
  void fail(ApiResult result, const std::string& other);
  void tell_failed();
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
      State::idle};  // with what is seldom written: every callback reads it
  CudaApi& api_;
  GpuClock clock_;
  BufferPool pool_;
  LaunchRecorder launches_;
  ActivityReader reader_;
  DriverMemory memory_;
  std::mutex control_;
  unsigned requests_ = 0;
  bool away_ = false;
  std::atomic<std::uint32_t> generation_{0};
  After after_ = After::rest;
  std::uint64_t drained_records_ = 0;  // at the last tick
  unsigned quiet_ticks_ = 0;
  bool awaited_in_vain_ = false;
  std::atomic<std::uint64_t> dropped_{0};      // by CUPTI, of what is awaited
  std::uint32_t failed_epoch_ = 0;             // of the recording that was told of the failure
  std::atomic<std::uint32_t> facts_epoch_{0};  // of the recording that knows the devices
  int pid_;
  std::atomic<bool> flush_thread_{false};
};

}  // namespace laptime::cuda
