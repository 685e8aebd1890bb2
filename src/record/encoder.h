// The background thread of a recording. It encodes full slots as batches, keeps free slots ready,
// and writes clock points.
//
// Contract: until finish(), it never touches a slot that a thread is writing to. The callback
// reports the part's first error, perhaps several times. Batches written before it stay, and so do
// full slots.
#pragma once

#include <pthread.h>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/clock.h"
#include "format/shared_args.h"
#include "record/part_file.h"
#include "record/slot_pool.h"

namespace laptime::record {

class Encoder {
 public:
  // `add_shared` adds the shared arguments that are new since its last call.
  Encoder(PartFile& part, SlotPool& pool, TickScale scale,
          std::function<void(SharedArgs&)> add_shared, std::function<void(int)> on_error)
      : part_(part),
        pool_(pool),
        scale_(scale),
        add_shared_(std::move(add_shared)),
        on_error_(std::move(on_error)) {}

  // 0 or an errno.
  int start();
  // Wakes the encoder, because there is work. Any thread may call; lock-free.
  void wake();
  // Stops the thread. Encodes the remaining slots, including `active`, on the caller's thread.
  void finish(const std::vector<Slot*>& active);

  // Makes more slots usable, from any thread. False at the limit. Touching them takes the page
  // faults here instead of in the program's threads.
  enum class Touch { no, yes };
  bool grow(Touch touch);

 private:
  static void* thread_main(void* self);
  void loop();
  void drain();
  void encode(const std::vector<Slot*>& slots);
  void date_clock();

  PartFile& part_;
  SlotPool& pool_;
  TickScale scale_;
  std::function<void(SharedArgs&)> add_shared_;
  std::function<void(int)> on_error_;
  SharedArgs shared_;
  pthread_t thread_{};
  bool running_ = false;
  std::atomic<std::uint32_t> signal_{0};
  std::atomic<bool> stopping_{false};
  // slots that are usable, or that some thread is making usable
  std::atomic<std::uint32_t> grown_{0};
  std::uint64_t dated_at_ns_ = 0;
};

// The number of full slots at which the encoder is woken.
inline constexpr std::uint32_t kWakeAtFull = 8;
// The number of free slots below which it makes more.
inline constexpr std::uint32_t kWakeAtFree = 12;

}  // namespace laptime::record
