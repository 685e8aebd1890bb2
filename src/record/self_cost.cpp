#include "record/self_cost.h"

#include <algorithm>
#include <memory>

#include "record/put.h"
#include "record/thread_state.h"

namespace laptime::record {

std::uint64_t measure_record_cost_ps(TickScale scale) {
  constexpr std::uint32_t kRecords = 256;
  const auto slot = std::make_unique<Slot>();
  ThreadState thread;
  thread.writing = slot.get();
  thread.end.store(slot->records + kSlotRecords, std::memory_order_relaxed);
  std::uint64_t best = ~0ull;
  for (int round = 0; round < 8; ++round) {
    thread.next = slot->records;
    const std::uint64_t before = ticks();
    for (std::uint32_t i = 0; i < kRecords; ++i) {
      const std::uint64_t start = ticks();
      const RawRecord record = span_record({start, ticks(), 1});
      put_records(thread, &record, 1);
    }
    best = std::min(best, ticks() - before);
  }
  return scale.to_ns(scale.origin_ticks() + best * 1000) / kRecords;
}

}  // namespace laptime::record
