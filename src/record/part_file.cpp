#include "record/part_file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <new>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/writer.h"

namespace laptime::record {

namespace {

// A name no other process uses, even after exec or with a recycled pid.
std::string part_name() {
  char name[64];
  std::snprintf(name, sizeof name, "%d-%llx.part", static_cast<int>(::getpid()), static_cast<unsigned long long>(realtime_ns()));
  return name;
}

// Addresses of parts that are over stay taken (detach). Side by side they are one mapping to the kernel, which allows a process some 65,000;
// far below where it puts other ones, so that nothing comes between. Not farther: a program under the thread sanitizer has no addresses 1.5 TiB below the
// highest, and the kernel begins up to 1 TiB below that; of an address that is not the program's it makes 0.
constexpr std::uintptr_t kAway = std::uintptr_t{1} << 38;
std::atomic<std::uintptr_t> taken_down_to{0};

// Where the place beside them is not free, the kernel chooses.
void* map_part(int fd, std::size_t size) {
  const std::uintptr_t end = taken_down_to.load(std::memory_order_relaxed);
  void* map = MAP_FAILED;
  if (end > size) map = ::mmap(reinterpret_cast<void*>(end - size), size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
  return map != MAP_FAILED ? map : ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

void keep_taken(const void* begin, std::size_t size) {
  const auto at = reinterpret_cast<std::uintptr_t>(begin);
  const bool is_beside = at + size == taken_down_to.load(std::memory_order_relaxed);
  taken_down_to.store(is_beside ? at : at > kAway ? at - kAway : 0, std::memory_order_relaxed);
}

// 0 or an errno. A signal of the program's may interrupt it, any number of times.
int allocate(int fd, std::size_t offset, std::size_t size) {
  int error = EINTR;
  while (error == EINTR) error = ::posix_fallocate(fd, static_cast<off_t>(offset), static_cast<off_t>(size));
  return error;
}

bool is_part(const char* name) {
  const std::size_t n = std::strlen(name);
  return n > 5 && std::strcmp(name + n - 5, ".part") == 0;
}

}  // namespace

Result<bool> prepare_folder(const std::string& folder, OldParts old_parts) {
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) return errno_error(ErrorKind::system, "cannot create " + folder, errno);
  DIR* dir = ::opendir(folder.c_str());
  if (!dir) return errno_error(ErrorKind::system, "cannot open " + folder, errno);
  bool shared = false;
  while (const dirent* entry = ::readdir(dir)) {
    if (!is_part(entry->d_name)) continue;
    const std::string path = folder + "/" + entry->d_name;
    const UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    const bool live = !fd || ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0;
    shared |= live;
    if (!live && old_parts == OldParts::remove) ::unlink(path.c_str());
  }
  ::closedir(dir);
  return shared;
}

Result<std::unique_ptr<PartFile>> PartFile::create(const std::string& folder, std::uint32_t slot_count, TickScale scale) {
  const std::string path = folder + "/" + part_name();
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd) return errno_error(ErrorKind::system, "cannot write in " + folder, errno);
  ::flock(fd.get(), LOCK_EX | LOCK_NB);
  const std::size_t size = kPageSize + std::size_t{slot_count} * kSlotSize;
  if (::ftruncate(fd.get(), static_cast<off_t>(size)) != 0) return errno_error(ErrorKind::system, "cannot write in " + folder, errno);
  if (const int error = allocate(fd.get(), 0, kPageSize)) return errno_error(ErrorKind::system, "cannot write in " + folder, error);
  void* map = map_part(fd.get(), size);
  if (map == MAP_FAILED) return errno_error(ErrorKind::system, "cannot map a file in " + folder, errno);

  std::unique_ptr<PartFile> part(new PartFile());
  part->path_ = path;
  part->fd_ = std::move(fd);
  part->scale_ = scale;
  part->slot_total_ = slot_count;
  part->log_end_ = size;
  part->slots_ = reinterpret_cast<Slot*>(static_cast<std::uint8_t*>(map) + kPageSize);
  part->header_ = new (map) PartHeader{};
  PartHeader& h = *part->header_;
  h.version = kFormatVersion;
  h.slot_size = kSlotSize;
  h.slot_count = slot_count;
  h.pid = static_cast<std::uint32_t>(::getpid());
  h.parent_pid = static_cast<std::uint32_t>(::getppid());
  h.log_offset = size;
  h.origin_ticks = scale.origin_ticks();
  h.ns_per_tick = scale.ns_per_tick();
  std::memcpy(h.magic, kPartMagic, sizeof kPartMagic);  // last: from here on the file is a part
  return part;
}

PartFile::~PartFile() { abandon(); }

void PartFile::abandon() {
  if (header_) ::munmap(header_, mapped_size());
  header_ = nullptr;
  fd_.reset();
}

void PartFile::detach() {
  if (header_) {
    ::mmap(header_, mapped_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    keep_taken(header_, mapped_size());
  }
  const std::scoped_lock lock(log_mutex_, open_);
  fd_.reset();
}

int PartFile::allocate_slots(std::uint32_t first, std::uint32_t count) {
  const std::shared_lock lock(open_);
  if (fd_.get() < 0) return kDetached;
  return allocate(fd_.get(), kPageSize + std::size_t{first} * kSlotSize, std::size_t{count} * kSlotSize);
}

void PartFile::touch_slots(std::uint32_t first, std::uint32_t count) {
#ifdef MADV_POPULATE_WRITE
  ::madvise(slots_ + first, std::size_t{count} * kSlotSize, MADV_POPULATE_WRITE);  // a hint: older kernels refuse it
#else
  (void)first, (void)count;
#endif
}

int PartFile::append_frames(ByteView frames) {
  const std::lock_guard lock(log_mutex_);
  if (fd_.get() < 0) return 0;
  const int error = pwrite_fully(fd_.get(), frames, log_end_);
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
  return append_facts({ClockFact{static_cast<std::int64_t>(scale_.to_ns(point.ticks)), static_cast<std::int64_t>(point.monotonic_ns),
                                 static_cast<std::int64_t>(point.realtime_ns)}});
}

}  // namespace laptime::record
