// The part file of this process: created, mapped and appended to (layout: format/part.h).
//
// Assumption: the folder's file system keeps written data when a process dies (any local one does).
// Space for a slot is allocated before the slot is used, so a full disk is an error code here and
// never a SIGBUS in the program.
//
// Contract: the first error of the file is permanent. From then on nothing is written, and
// `error()` returns the reason. Data written before, and the slots, stay readable.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/os/file.h"
#include "base/status.h"
#include "format/facts.h"
#include "format/part.h"
#include "record/guarded_descriptor.h"

namespace laptime::record {

class PartFile {
 public:
  static Result<std::unique_ptr<PartFile>> create(const std::string& folder,
                                                  std::uint32_t most_slots, TickScale scale);
  ~PartFile();

  const std::string& path() const { return path_; }
  PartHeader& header() { return *header_; }
  Slot* slot(std::uint32_t index) { return slots_ + index; }
  std::uint32_t slot_count() const { return header_->slot_count; }
  // The limit on file sizes leaves less room for records than requested.
  bool is_cut_short() const { return is_cut_short_; }
  std::uint32_t index_of(const Slot* slot) const {
    return static_cast<std::uint32_t>(slot - slots_);
  }

  // kUnreachable: the file was deleted, or the program closed its descriptor and the path leads
  // elsewhere. kPageLost: a page of the mapping is lost.
  static constexpr int kUnreachable = ESTALE, kPageLost = EFAULT;
  // Another process sealed the run, including this part: recording has no purpose any more.
  static constexpr int kSealed = ECANCELED;
  int error() const { return error_.load(std::memory_order_relaxed); }

  // Makes `count` slots from `first` usable. Returns 0, kDetached, or another errno. Waits only for
  // the file system.
  static constexpr int kDetached = EBADF;
  int allocate_slots(std::uint32_t first, std::uint32_t count);
  void touch_slots(std::uint32_t first, std::uint32_t count);
  // Appends whole frames to the log. Returns 0 or an errno.
  int append_frames(ByteView frames);
  int append_facts(const std::vector<Fact>& facts);
  int append_clock_point();

  // For the encoder's thread: see GuardedDescriptor.
  void isolate_this_thread() { fd_.isolate_this_thread(); }

  // Removes the file of a recording that could not begin.
  void discard();
  // Unmaps in a forked child, which must not write into its parent's part.
  void abandon();
  // Detaches the mapping from the file but keeps its addresses valid. A thread in the middle of a
  // store writes to spare memory, and what a late thread appends is dropped. The descriptor is
  // closed.
  void detach();

  std::mutex& log_mutex() { return log_mutex_; }

 private:
  PartFile() = default;
  std::size_t mapped_size() const { return kPageSize + std::size_t{slot_total_} * kSlotSize; }

  // Keeps the first error. Returns the error as one of ours or an errno.
  int noted(int error);

  std::string path_;
  GuardedDescriptor fd_;
  std::atomic<int> error_{0};
  PartHeader* header_ = nullptr;
  Slot* slots_ = nullptr;
  std::uint32_t slot_total_ = 0;
  bool is_cut_short_ = false;
  TickScale scale_;
  std::mutex log_mutex_;
  std::shared_mutex open_;  // held (shared) while the descriptor is used, except for the log
  std::uint64_t log_end_ = 0;
};

}  // namespace laptime::record
