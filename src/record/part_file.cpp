#include "record/part_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>

#include "base/os/process.h"
#include "format/part_folder.h"
#include "format/writer.h"
#include "record/lost_pages.h"

namespace laptime::record {

namespace {

// Addresses of ended parts stay reserved (detach). Adjacent, they are one mapping to the kernel,
// which allows a process about 65,000. They are far below the kernel's usual mappings, so that
// nothing comes between. They are not lower, for two reasons. The thread sanitizer leaves a program
// no addresses 1.5 TiB below the highest, and the kernel starts up to 1 TiB below that. The kernel
// replaces an address outside of the program's range by 0.
constexpr std::uintptr_t kAway = std::uintptr_t{1} << 38;
std::atomic<std::uintptr_t> taken_down_to{0};

// If the addresses beside them are not free, the kernel chooses.
void* map_part(int fd, std::size_t size) {
  const std::uintptr_t end = taken_down_to.load(std::memory_order_relaxed);
  void* map = MAP_FAILED;
  if (end > size)
    map = ::mmap(reinterpret_cast<void*>(end - size), size, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
  return map != MAP_FAILED ? map : ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

void keep_taken(const void* begin, std::size_t size) {
  const auto at = reinterpret_cast<std::uintptr_t>(begin);
  const bool is_beside = at + size == taken_down_to.load(std::memory_order_relaxed);
  taken_down_to.store(is_beside ? at : at > kAway ? at - kAway : 0, std::memory_order_relaxed);
}

// The largest size of a file (ulimit -f). Beyond it the kernel sends SIGXFSZ, which ends most
// programs. So no call may reach it.
std::uint64_t file_size_limit() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur
                                                                                   : UINT64_MAX;
}

// Half of the allowed file size is left to the log.
std::uint32_t slots_that_fit(std::uint32_t wanted) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(wanted, file_size_limit() / 2 / kSlotSize));
}

// Returns 0 or an errno. A signal of the program may interrupt it any number of times.
int allocate(int fd, std::size_t offset, std::size_t size) {
  if (offset + size > file_size_limit()) return EFBIG;
  int error = EINTR;
  while (error == EINTR)
    error = ::posix_fallocate(fd, static_cast<off_t>(offset), static_cast<off_t>(size));
  return error;
}

}  // namespace

Result<std::unique_ptr<PartFile>> PartFile::create(const std::string& folder,
                                                   std::uint32_t most_slots, TickScale scale) {
  const std::string path = folder + "/" + new_part_name();
  const std::uint32_t slot_count = slots_that_fit(most_slots);
  if (slot_count == 0) return errno_error(ErrorKind::system, "cannot write in " + folder, EFBIG);
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return errno_error(ErrorKind::system, "cannot write in " + folder, errno);
  const auto refuse = [&](const std::string& what, int error) {
    ::unlink(path.c_str());
    return errno_error(ErrorKind::system, what + folder, error);
  };
  ::flock(fd.get(), LOCK_EX | LOCK_NB);
  const std::size_t size = kPageSize + std::size_t{slot_count} * kSlotSize;
  if (::ftruncate(fd.get(), static_cast<off_t>(size)) != 0)
    return refuse("cannot write in ", errno);
  if (const int error = allocate(fd.get(), 0, kPageSize)) return refuse("cannot write in ", error);
  void* map = map_part(fd.get(), size);
  if (map == MAP_FAILED) return refuse("cannot map a file in ", errno);

  std::unique_ptr<PartFile> part(new PartFile());
  part->path_ = path;
  if (const int error = part->fd_.adopt(std::move(fd), path))
    return refuse("cannot write in ", error);
  part->scale_ = scale;
  part->slot_total_ = slot_count;
  part->is_cut_short_ = slot_count < most_slots;
  part->log_end_ = size;
  part->slots_ = reinterpret_cast<Slot*>(static_cast<std::uint8_t*>(map) + kPageSize);
  part->header_ = new (map) PartHeader{};
  PartHeader& h = *part->header_;
  h.version = kFormatVersion;
  h.slot_size = kSlotSize;
  h.slot_count = slot_count;
  h.pid = static_cast<std::uint32_t>(::getpid());
  h.parent_pid = static_cast<std::uint32_t>(::getppid());
  h.process_start = process_start(h.pid);
  h.log_offset = size;
  h.origin_ticks = scale.origin_ticks();
  h.ns_per_tick = scale.ns_per_tick();
  std::memcpy(h.magic, kPartMagic, sizeof kPartMagic);  // last: from here on the file is a part
  watch_pages(map, size, &part->error_, kPageLost);
  return part;
}

PartFile::~PartFile() { abandon(); }

int PartFile::noted(int error) {
  if (error == 0) return 0;
  if (error == GuardedDescriptor::kGone || error == EBADF)
    error = header_->state.load(std::memory_order_acquire) == PartState::sealed ? kSealed
                                                                                : kUnreachable;
  int none = 0;
  error_.compare_exchange_strong(none, error);
  return error;
}

void PartFile::abandon() {
  if (header_) {
    stop_watching_pages();
    ::munmap(header_, mapped_size());
  }
  header_ = nullptr;
  fd_.close();
}

void PartFile::discard() {
  ::unlink(path_.c_str());
  detach();
}

void PartFile::detach() {
  if (header_) {
    // Replaces a mapping of the same size, so it needs no other address or descriptor.
    (void)::mmap(header_, mapped_size(), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    keep_taken(header_, mapped_size());
    stop_watching_pages();
  }
  const std::scoped_lock lock(log_mutex_, open_);
  fd_.close();
}

int PartFile::allocate_slots(std::uint32_t first, std::uint32_t count) {
  const std::shared_lock lock(open_);
  if (!fd_.is_open()) return kDetached;
  if (const int known = error()) return known;
  return noted(fd_.with([&](int fd) {
    return allocate(fd, kPageSize + std::size_t{first} * kSlotSize, std::size_t{count} * kSlotSize);
  }));
}

void PartFile::touch_slots(std::uint32_t first, std::uint32_t count) {
#ifdef MADV_POPULATE_WRITE
  ::madvise(slots_ + first, std::size_t{count} * kSlotSize,
            MADV_POPULATE_WRITE);  // a hint: older kernels refuse it
#else
  (void)first, (void)count;
#endif
}

int PartFile::append_frames(ByteView frames) {
  const std::lock_guard lock(log_mutex_);
  if (!fd_.is_open()) return 0;
  if (const int known = error()) return known;
  if (log_end_ + frames.size() > file_size_limit()) return noted(EFBIG);
  const int error = noted(fd_.with([&](int fd) { return pwrite_fully(fd, frames, log_end_); }));
  if (error == 0) log_end_ += frames.size();
  return error;
}

int PartFile::append_facts(const std::vector<Fact>& facts) {
  Bytes frames;
  append_fact_frames(frames, 0, facts, Codec::raw);
  return append_frames(frames);
}

int PartFile::append_clock_point() {
  const ClockPoint point = read_clock_point();
  return append_facts({ClockFact{static_cast<std::int64_t>(scale_.to_ns(point.ticks)),
                                 static_cast<std::int64_t>(point.monotonic_ns),
                                 static_cast<std::int64_t>(point.realtime_ns)}});
}

}  // namespace laptime::record
