// A file descriptor inside a program that may close it: os.closerange, closefrom, a stray close of a wrong number.
// The number may then belong to a file of the program.
//
// Contract: every use and the close check that the number still names our file (device, inode). If it does not, the
// file is opened again by its path, so recording goes on. A number that names another file is never written or closed.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <sys/types.h>

#include "base/file.h"

namespace laptime::record {

class GuardedDescriptor {
 public:
  GuardedDescriptor() = default;
  GuardedDescriptor(const GuardedDescriptor&) = delete;
  GuardedDescriptor& operator=(const GuardedDescriptor&) = delete;
  ~GuardedDescriptor() { close(); }

  // Takes over a descriptor of the file at `path` (absolute). 0 or an errno.
  int adopt(UniqueFd fd, std::string path);
  // The descriptor, for one operation; -1 if the file is closed or deleted, or cannot be found any more.
  int get();
  bool is_open() const { return fd_.load(std::memory_order_relaxed) >= 0; }
  // Contract: no lock, for a forked child.
  void close();

 private:
  enum class Found { no, deleted, yes };
  Found look_at(int fd) const;
  int reopen();

  std::atomic<int> fd_{-1};
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::string path_;
  std::mutex reopening_;
};

}  // namespace laptime::record
