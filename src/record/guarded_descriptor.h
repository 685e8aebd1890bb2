// A file descriptor inside a program that may close it: os.closerange, closefrom, a stray close of
// a wrong number. Then the number may belong to a file of the program.
//
// Contract: every use, and the close, checks that the number still names our file (device, inode).
// If it does not, the file is opened again by its path, so recording continues. A number that names
// another file is never written or closed. Between the check and the use, another thread could
// still take the number. A thread that isolates itself is also safe from that, because its table of
// descriptors is its own.
#pragma once

#include <sys/types.h>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <string>

#include "base/os/file.h"

namespace laptime::record {

class GuardedDescriptor {
 public:
  GuardedDescriptor() = default;
  GuardedDescriptor(const GuardedDescriptor&) = delete;
  GuardedDescriptor& operator=(const GuardedDescriptor&) = delete;
  ~GuardedDescriptor() { close(); }

  // Adopts a descriptor of the file at `path` (absolute). Returns 0 or an errno.
  int adopt(UniqueFd fd, std::string path);
  // Replaces the calling thread's table of descriptors by one with only ours, so no close() of the
  // program affects it. For a thread of laptime, which then must not use other descriptors opened
  // before. No effect if the kernel refuses.
  void isolate_this_thread();
  // Calls `operation(descriptor)`, which returns 0 or an errno; again if the number was closed
  // meanwhile. kGone if the file is closed or deleted, or cannot be found.
  static constexpr int kGone = -1;
  template <class Operation>
  int with(Operation operation) {
    constexpr int kMostTries = 3;
    int error = EBADF;
    for (int i = 0; i < kMostTries && error == EBADF; ++i) {
      const int fd = get();
      error = fd < 0 ? kGone : operation(fd);
    }
    return error;
  }
  bool is_open() const { return fd_.load(std::memory_order_relaxed) >= 0; }
  // Contract: takes no lock, for a forked child.
  void close();

 private:
  enum class Found { no, deleted, yes };
  Found look_at(int fd) const;
  std::atomic<int>& number();
  int get();
  int reopen();

  std::atomic<int> fd_{-1}, isolated_fd_{-1};
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::string path_;
  std::mutex reopening_;
};

}  // namespace laptime::record
