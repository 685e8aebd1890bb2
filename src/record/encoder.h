// The background thread of a recording: turns full slots into encoded batches, keeps free slots
// ready, dates the clock.
//
// Contract: never touches a slot that a thread is writing to until finish(). The part's first error
// is reported through the callback given, perhaps several times; what was encoded before stays, and
// so do full slots.
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
  // `learn` adds the shared arguments that were told since it was called last.
  Encoder(PartFile& part, SlotPool& pool, TickScale scale, std::function<void(SharedArgs&)> learn,
          std::function<void(int)> on_error)
      : part_(part),
        pool_(pool),
        scale_(scale),
        learn_(std::move(learn)),
        on_error_(std::move(on_error)) {}

  // 0 or an errno.
  int start();
  // Any thread, lock-free: there is work.
  void wake();
  // Stops the thread and encodes what is left, the given slots included, on the caller.
  void finish(const std::vector<Slot*>& active);

  // Makes more slots usable, from any thread; false when the limit is reached. Touching them takes
  // the page faults here instead of in the program's threads.
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
  std::function<void(SharedArgs&)> learn_;
  std::function<void(int)> on_error_;
  SharedArgs shared_;
  pthread_t thread_{};
  bool running_ = false;
  std::atomic<std::uint32_t> signal_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint32_t> grown_{0};  // slots that somebody has made usable, or is about to
  std::uint64_t dated_at_ns_ = 0;
};

// Full slots that are worth waking the encoder for.
inline constexpr std::uint32_t kWakeAtFull = 8;
// Free slots so few that it should make more.
inline constexpr std::uint32_t kWakeAtFree = 12;

}  // namespace laptime::record
