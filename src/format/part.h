// The part file: the file of one process in NAME.lap.d/ while it records.
//
//   0                 4096                                      log_offset
//   | PartHeader | 0  | slot 0 | slot 1 | … (sparse, mapped)   | frame | frame | … (appended)
//
// The header and the slots are a shared mapping, so records that a thread stored survive SIGKILL.
// If a batch frame of the log has a slot's sequence number, the slot is already encoded, whatever
// its state is: the process died before freeing it.
#pragma once

#include <atomic>
#include <cstdint>

#include "format/record.h"

namespace laptime {

inline constexpr char kPartMagic[8] = {'L', 'A', 'P', 'P', 'A', 'R', 'T', '\0'};
inline constexpr char kLapMagic[8] = {'L', 'A', 'P', 'T', 'I', 'M', 'E', '\0'};
inline constexpr char kLapEndMagic[8] = {'L', 'A', 'P', 'E', 'N', 'D', '\0', '\0'};
// Raised if an old reader would misread a new file. Additions that a reader can skip do not raise
// it.
inline constexpr std::uint32_t kFormatVersion = 2;

inline constexpr std::size_t kPageSize = 4096;
inline constexpr std::size_t kMaxWarnings = 128;

// Sealed: its content is in another file, and the part is deleted. A process that still writes to
// it stops.
enum class PartState : std::uint32_t { recording = 0, finished = 1, sealed = 2 };

struct PartHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t slot_size;
  std::uint32_t slot_count;
  std::uint32_t pid;
  std::uint64_t log_offset;
  std::uint64_t origin_ticks;  // the part's clock starts here …
  double ns_per_tick;          // … and runs at this rate
  std::atomic<PartState> state;
  std::uint32_t parent_pid;
  std::atomic<std::uint64_t> records;     // stored so far; added slot by slot
  std::atomic<std::uint64_t> encoder_ns;  // CPU time of the background thread
  std::uint64_t record_cost_ps;           // measured cost of storing one record
  std::atomic<std::uint64_t> cpu_ns;      // CPU time of the process, from its start; 0: unknown
  std::uint64_t process_start;            // of the process, in clock ticks since boot; 0: unknown
  std::uint64_t padding[4];
  std::atomic<std::uint64_t> warnings[kMaxWarnings];
};
static_assert(sizeof(PartHeader) <= kPageSize);
static_assert(sizeof(PartHeader) == 128 + 8 * kMaxWarnings);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// Ids of threads' tracks start here. Smaller ids are tracks that a record names itself
// (RawRecord::track).
inline constexpr std::uint32_t kFirstThreadTrack = 65536;

enum class SlotState : std::uint32_t { free = 0, active = 1, full = 2 };

inline constexpr std::size_t kSlotSize = 64ull * 1024;

struct SlotHeader {
  std::atomic<std::uint32_t> used;  // records published
  std::atomic<SlotState> state;
  std::uint32_t track;  // of the thread that writes this slot
  std::uint32_t reserved;
  std::uint64_t sequence;  // unique in the part, rising: the order of a thread's slots
  std::uint64_t padding[5];
};
static_assert(sizeof(SlotHeader) == 64);

inline constexpr std::size_t kSlotRecords = (kSlotSize - sizeof(SlotHeader)) / sizeof(RawRecord);

struct Slot {
  SlotHeader header;
  RawRecord records[kSlotRecords];
};
static_assert(sizeof(Slot) == kSlotSize);

}  // namespace laptime
