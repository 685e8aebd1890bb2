#include "record/encoder.h"

#include <linux/futex.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>

#include "base/clock.h"
#include "base/os/no_signals.h"
#include "format/frame.h"
#include "format/raw_batch.h"
#include "record/warnings.h"

namespace laptime::record {

namespace {

constexpr std::uint32_t kBatchSlots = 32;  // 2 MiB raw: bounds the encoder's own memory
constexpr std::uint32_t kGrowSlots = 16;   // 1 MiB at a time
constexpr std::uint32_t kOwnSlots =
    4;  // for a thread of the program, which cannot wait for kGrowSlots
constexpr std::uint32_t kReadySlots = 32;  // kept allocated and touched ahead of the threads
constexpr long kWaitNs = 50'000'000;
constexpr std::uint64_t kDateEveryNs = 1'000'000'000;
// the program's own threads come first; records that it cannot keep up with stay in slots, up to
// the limit
constexpr int kNice = 15;

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen) {
  const timespec timeout{0, kWaitNs};
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, &timeout, nullptr, 0);
}
void futex_wake(std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

int Encoder::start() {
  const NoSignals meanwhile;
  const int error = pthread_create(&thread_, nullptr, &Encoder::thread_main, this);
  running_ = error == 0;
  return error;
}

void* Encoder::thread_main(void* self) {
  pthread_setname_np(pthread_self(), "laptime");
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), kNice);
  auto* const encoder = static_cast<Encoder*>(self);
  encoder->part_.isolate_this_thread();
  encoder->loop();
  return nullptr;
}

void Encoder::wake() {
  signal_.fetch_add(1, std::memory_order_release);
  futex_wake(signal_);
}

void Encoder::loop() {
  while (!stopping_.load(std::memory_order_acquire)) {
    const std::uint32_t seen = signal_.load(std::memory_order_acquire);
    if (const int error = part_.error()) on_error_(error);
    drain();
    while (pool_.free_count() < kReadySlots && grow(Touch::yes)) {
    }
    date_clock();
    part_.header().encoder_ns.store(thread_cpu_ns(), std::memory_order_relaxed);
    part_.header().cpu_ns.store(process_cpu_ns(), std::memory_order_relaxed);
    if (part_.error() != 0 || pool_.full_count() < kWakeAtFull) futex_wait(signal_, seen);
  }
}

bool Encoder::grow(Touch touch) {
  // Each thread allocates a range of its own. So a thread that is delayed while it allocates, like
  // this one on a busy machine, blocks no other.
  const std::uint32_t wanted = touch == Touch::yes ? kGrowSlots : kOwnSlots;
  std::uint32_t first = grown_.load(std::memory_order_relaxed);
  std::uint32_t count = 0;
  do {
    count = std::min(wanted, pool_.capacity() - first);
    if (count == 0) return false;
  } while (!grown_.compare_exchange_weak(first, first + count, std::memory_order_relaxed));
  const int error = part_.allocate_slots(first, count);
  if (error == PartFile::kDetached)
    return false;  // the recording has ended, and perhaps another one is on
  if (error != 0) {
    on_error_(error);
    return false;
  }
  if (touch == Touch::yes) part_.touch_slots(first, count);
  for (std::uint32_t i = 0; i < count; ++i) pool_.push_free(first + i);
  return true;
}

void Encoder::drain() {
  if (part_.error() != 0) return;  // full slots stay full, and a reader finds their records
  const std::vector<std::uint32_t> full = pool_.take_full();
  for (std::size_t i = 0; i < full.size(); i += kBatchSlots) {
    std::vector<Slot*> slots;
    for (std::size_t j = i; j < std::min<std::size_t>(full.size(), i + kBatchSlots); ++j)
      slots.push_back(part_.slot(full[j]));
    encode(slots);
  }
}

void Encoder::encode(const std::vector<Slot*>& slots) {
  add_shared_(shared_);  // arguments of these slots were reported before their records were made
  RawBatch batch(scale_, shared_);
  Bytes payload;
  ByteWriter out(payload);
  out.varint(slots.size());
  for (const Slot* slot : slots) {
    const std::uint32_t used = slot->header.used.load(std::memory_order_acquire);
    batch.add(slot->header.track, {slot->records, used});
    out.varint(slot->header.sequence);
  }
  batch.append_blocks_to(payload, 0);
  part_.header().warnings[kWarningUnencodable].fetch_add(batch.malformed(),
                                                         std::memory_order_relaxed);
  Bytes frame;
  append_frame(frame, FrameType::batch, Codec::raw, payload);
  if (const int error = part_.append_frames(frame)) {
    on_error_(error);  // the slots stay full, as above
    return;
  }
  for (Slot* slot : slots) {
    slot->header.state.store(SlotState::free, std::memory_order_release);
    pool_.push_free(part_.index_of(slot));
  }
}

void Encoder::date_clock() {
  const std::uint64_t now = monotonic_ns();
  if (now - dated_at_ns_ < kDateEveryNs) return;
  dated_at_ns_ = now;
  part_.append_clock_point();
}

void Encoder::finish(const std::vector<Slot*>& active) {
  stopping_.store(true, std::memory_order_release);
  wake();
  if (running_) pthread_join(thread_, nullptr);
  running_ = false;
  drain();
  for (std::size_t i = 0; i < active.size(); i += kBatchSlots)
    encode({active.begin() + static_cast<std::ptrdiff_t>(i),
            active.begin() + static_cast<std::ptrdiff_t>(
                                 std::min<std::size_t>(active.size(), i + kBatchSlots))});
  part_.append_clock_point();
}

}  // namespace laptime::record
