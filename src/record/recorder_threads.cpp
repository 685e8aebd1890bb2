// The recorder's handling of threads: entering a recording, changing slots, leaving, fork.
#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include "record/collector.h"
#include "record/recorder.h"

namespace laptime::record {

namespace {

// The name that the program or the kernel gave the thread. Empty if it only repeats the process's
// name.
std::string kernel_thread_name(pid_t tid) {
  if (tid == ::getpid()) return "main";
  char own[17] = {}, process[17] = {};
  ::prctl(PR_GET_NAME, own);
  const UniqueFd fd(::open("/proc/self/comm", O_RDONLY | O_CLOEXEC));
  const ssize_t n = fd ? ::read(fd.get(), process, sizeof process - 1) : 0;
  if (n > 0 && process[n - 1] == '\n') process[n - 1] = '\0';
  return std::strcmp(own, process) == 0 ? "" : own;
}

// The warning that is counted when the part's error prevents storing records.
BuiltinWarning warning_of(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return kWarningDiskFull;
    case EFBIG:
      return kWarningFileLimit;
    case PartFile::kUnreachable:
    case PartFile::kPageLost:
      return kWarningPartLost;
    default:
      return kWarningWriteFailed;
  }
}

}  // namespace

ThreadState* Recorder::attach_thread() noexcept {
  auto* thread = new (std::nothrow) ThreadState();
  if (!thread) return nullptr;
  const std::lock_guard lock(registry_);
  thread->next_thread = threads_;
  if (threads_) threads_->previous_thread = thread;
  threads_ = thread;
  return thread;
}

void Recorder::retire_thread(ThreadState* thread) noexcept {
  {
    const std::lock_guard lock(registry_);
    if (Recording* const recording = current(); recording && thread->epoch == recording->epoch)
      hand_over(*thread, *recording);
    if (thread->previous_thread) thread->previous_thread->next_thread = thread->next_thread;
    if (thread->next_thread) thread->next_thread->previous_thread = thread->previous_thread;
    if (threads_ == thread) threads_ = thread->next_thread;
  }
  delete thread;
}

RawRecord* Recorder::renew(ThreadState& thread, std::size_t count) noexcept {
  if (!on() || count > kSlotRecords) return nullptr;
  if (child_needs_part_) begin_child_part();
  Recording* const recording = current();
  if (!recording) return nullptr;
  if (thread.epoch != recording->epoch) enter_recording(thread, *recording);
  hand_over(thread, *recording);
  RawRecord* const at = give_slot(thread, *recording);
  // The recording stopped meanwhile: the slot may not be read again, so nothing more may be stored
  // in it.
  if (at && (!on() || current() != recording)) {
    thread.end.store(nullptr, std::memory_order_relaxed);
    return nullptr;
  }
  return at;
}

void Recorder::enter_recording(ThreadState& thread, Recording& recording) noexcept {
  const auto tid = static_cast<pid_t>(::syscall(SYS_gettid));
  const std::string name = kernel_thread_name(tid);
  const std::uint32_t name_id = thread.name ? thread.name : name.empty() ? 0 : intern(name);
  thread.slot.store(nullptr, std::memory_order_relaxed);
  thread.step_start = recording.start_ticks;
  bool has_fact = false;
  {
    const std::lock_guard lock(registry_);
    const auto ahead = recording.tracks_ahead.extract(static_cast<std::uint64_t>(tid));
    has_fact = !ahead.empty();
    thread.track = has_fact ? ahead.mapped()
                            : recording.next_thread_track.fetch_add(1, std::memory_order_relaxed);
    thread.os_thread = static_cast<std::uint64_t>(tid);
    thread.epoch = recording.epoch;
  }
  if (has_fact && name_id == 0) return;
  recording.part.append_facts(
      {TrackFact{thread.track, TrackKind::thread, static_cast<std::uint64_t>(tid), name_id}});
}

std::uint32_t Recorder::track_of_thread(std::uint64_t os_thread, std::string_view name) noexcept {
  if (!on()) return 0;
  if (child_needs_part_) begin_child_part();
  Recording* const recording = current();
  if (!recording) return 0;
  const bool is_main = os_thread == static_cast<std::uint64_t>(::getpid());
  const std::uint32_t name_id = is_main ? intern("main") : name.empty() ? 0 : intern(name);
  const std::lock_guard lock(registry_);
  for (const ThreadState* t = threads_; t; t = t->next_thread) {
    if (t->os_thread != os_thread || t->epoch != recording->epoch) continue;
    if (t->name == 0 && name_id != 0)
      recording->part.append_facts({TrackFact{t->track, TrackKind::thread, os_thread, name_id}});
    return t->track;
  }
  const auto [ahead, is_new] = recording->tracks_ahead.try_emplace(os_thread, 0);
  if (is_new) {
    ahead->second = recording->next_thread_track.fetch_add(1, std::memory_order_relaxed);
    recording->part.append_facts({TrackFact{ahead->second, TrackKind::thread, os_thread, name_id}});
  }
  return ahead->second;
}

// The state has no `os_thread`: the thread's own state, now or later, stays the one that is found.
ThreadState* Recorder::open_thread(std::uint64_t os_thread, std::string_view name) noexcept {
  const std::uint32_t track = track_of_thread(os_thread, name);
  Recording* const recording = current();
  if (track == 0 || !recording) return nullptr;
  ThreadState* const thread = attach_thread();
  if (!thread) return nullptr;
  const std::lock_guard lock(registry_);
  thread->track = track;
  thread->epoch = recording->epoch;
  return thread;
}

void Recorder::hand_over(ThreadState& thread, Recording& recording) noexcept {
  Slot* const slot = thread.slot.exchange(nullptr, std::memory_order_acq_rel);
  thread.end.store(nullptr, std::memory_order_relaxed);
  thread.next = nullptr;
  if (!slot) return;
  recording.part.header().records.fetch_add(slot->header.used.load(std::memory_order_relaxed),
                                            std::memory_order_relaxed);
  slot->header.state.store(SlotState::full, std::memory_order_release);
  if (recording.pool.push_full(recording.part.index_of(slot)) == kWakeAtFull)
    recording.encoder.wake();
}

RawRecord* Recorder::give_slot(ThreadState& thread, Recording& recording) noexcept {
  auto index = recording.pool.pop_free();
  while (!index && recording.encoder.grow(Encoder::Touch::no))
    index = recording.pool.pop_free();  // other threads may have taken them
  if (!index) {
    const int error = recording.part.error();
    warn(error != 0                      ? warning_of(error)
         : recording.part.is_cut_short() ? kWarningFileLimit
                                         : kWarningBufferFull);
    print_stop(recording);
    return nullptr;
  }
  if (recording.pool.free_count() == kWakeAtFree) recording.encoder.wake();
  Slot* const slot = recording.part.slot(*index);
  slot->header.used.store(0, std::memory_order_relaxed);
  slot->header.track = thread.track;
  slot->header.sequence = recording.next_sequence.fetch_add(1, std::memory_order_relaxed);
  slot->header.state.store(SlotState::active, std::memory_order_release);
  thread.writing = slot;
  thread.slot.store(slot, std::memory_order_release);
  thread.next = slot->records;
  thread.end.store(slot->records + kSlotRecords, std::memory_order_relaxed);
  return thread.next;
}

void Recorder::name_thread(ThreadState& thread, std::string_view name) {
  thread.name = intern(name);
  Recording* const recording = current();
  if (!recording || thread.epoch != recording->epoch) return;
  const auto tid = static_cast<std::uint64_t>(::syscall(SYS_gettid));
  recording->part.append_facts({TrackFact{thread.track, TrackKind::thread, tid, thread.name}});
}

void Recorder::before_fork() {
  control_.lock();
  facts_.lock();
  registry_.lock();
  if (Recording* const recording = current()) recording->part.log_mutex().lock();
}

void Recorder::after_fork_in_parent() {
  if (Recording* const recording = current()) recording->part.log_mutex().unlock();
  registry_.unlock();
  facts_.unlock();
  control_.unlock();
}

// The child has one thread and no encoder. It must not touch the parent's part. It gets its own
// part with its first record, so children that record nothing (a shell, a helper) leave no trace.
void Recorder::after_fork_in_child() {
  Recording* const recording = current_.exchange(nullptr, std::memory_order_relaxed);
  if (recording) {
    recording->part.log_mutex().unlock();
    recording->part.abandon();
    child_needs_part_ = true;
    plan_.seal_as.clear();
  }
  for (ThreadState* t = threads_; t; t = t->next_thread) {
    t->end.store(nullptr, std::memory_order_relaxed);
    t->slot.store(nullptr, std::memory_order_relaxed);
    t->next = nullptr;
  }
  registry_.unlock();
  facts_.unlock();
  control_.unlock();
}

// Other threads wait here until the part is open. Otherwise their records would be in no part.
void Recorder::begin_child_part() noexcept {
  const std::lock_guard lock(control_);
  if (!child_needs_part_) return;
  if (const Status opened = open_part_or_leave_word(); !opened) {
    __atomic_store_n(&laptime_recording, 0, __ATOMIC_SEQ_CST);
    print_line(opened.error().message);
  }
  child_needs_part_ = false;
}

}  // namespace laptime::record
