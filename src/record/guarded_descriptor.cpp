#include "record/guarded_descriptor.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>

namespace laptime::record {

namespace {

// The kernel assigns the lowest free number, so a program's next file never gets a high one by
// chance. No higher, because the kernel's table of a process grows with its highest number.
constexpr rlim_t kHighNumber = 960;

thread_local bool is_isolated = false;

// Linux 5.9 and later. glibc has a function for it only since 2.34.
bool close_numbers(unsigned first, unsigned last, unsigned flags) {
#ifdef SYS_close_range
  return ::syscall(SYS_close_range, first, last, flags) == 0;
#else
  return false;
#endif
}
constexpr unsigned kUnshare = 1u << 1;  // CLOSE_RANGE_UNSHARE

UniqueFd move_up(UniqueFd fd) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const auto least = static_cast<int>(std::min(limit.rlim_cur - limit.rlim_cur / 16, kHighNumber));
  UniqueFd high(::fcntl(fd.get(), F_DUPFD_CLOEXEC, least));
  return high ? std::move(high) : std::move(fd);
}

}  // namespace

int GuardedDescriptor::adopt(UniqueFd fd, std::string path) {
  struct stat file{};
  if (::fstat(fd.get(), &file) != 0) return errno;
  device_ = file.st_dev;
  inode_ = file.st_ino;
  path_ = std::move(path);
  fd_.store(move_up(std::move(fd)).release());
  return 0;
}

GuardedDescriptor::Found GuardedDescriptor::look_at(int fd) const {
  struct stat file{};
  if (::fstat(fd, &file) != 0 || file.st_dev != device_ || file.st_ino != inode_) return Found::no;
  return file.st_nlink == 0 ? Found::deleted : Found::yes;
}

std::atomic<int>& GuardedDescriptor::number() { return is_isolated ? isolated_fd_ : fd_; }

// The second call closes the copies of the program's descriptors: they must not keep its pipes
// open.
void GuardedDescriptor::isolate_this_thread() {
  const int fd = fd_.load();
  if (fd <= 0 || !close_numbers(static_cast<unsigned>(fd) + 1, ~0u, kUnshare)) return;
  is_isolated = true;
  close_numbers(0, static_cast<unsigned>(fd) - 1, 0);
  isolated_fd_.store(fd);
}

int GuardedDescriptor::get() {
  const int fd = number().load(std::memory_order_acquire);
  if (fd < 0) return -1;
  switch (look_at(fd)) {
    case Found::yes:
      return fd;
    case Found::deleted:
      return -1;
    case Found::no:
      break;
  }
  return reopen();
}

int GuardedDescriptor::reopen() {
  const std::lock_guard lock(reopening_);
  const int fd = number().load();
  if (fd < 0 || look_at(fd) == Found::yes) return fd;
  UniqueFd fresh(::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fresh || look_at(fresh.get()) != Found::yes) return -1;
  ::flock(fresh.get(), LOCK_EX | LOCK_NB);
  const int moved = move_up(std::move(fresh)).release();
  number().store(moved, std::memory_order_release);
  return moved;
}

void GuardedDescriptor::close() {
  const int fd = fd_.exchange(-1);
  if (fd >= 0 && look_at(fd) != Found::no) ::close(fd);
}

}  // namespace laptime::record
