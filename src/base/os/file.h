// Files: an owned descriptor, a read-only mapping, whole-buffer writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/status.h"

namespace laptime {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~UniqueFd() { reset(); }
  void reset();
  int release() { return std::exchange(fd_, -1); }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// A file's bytes, mapped read-only. Assumption: its writer no longer truncates it. A file that
// shrinks while mapped would raise SIGBUS, so live parts are copied into memory instead
// (read_whole_file).
class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();
  // Drops the pages from this process's memory. The next access reads them again.
  void release() const;
  ByteView bytes() const { return {static_cast<const std::uint8_t*>(data_), size_}; }

 private:
  MappedFile(void* data, std::size_t size) : data_(data), size_(size) {}
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

// The written ranges of a sparse file on a tmpfs. There, reading a hole through a mapping allocates
// a page. If no page is left, the reader gets SIGBUS.
class WrittenParts {
 public:
  WrittenParts() = default;  // everything
  // On other file systems: everything.
  static WrittenParts of(const std::string& path);
  bool has(std::size_t offset) const;

 private:
  std::optional<std::vector<std::pair<std::size_t, std::size_t>>> parts_;  // begin, end, in order
};

// Writes all of `data`, at the descriptor's position or at `offset`; 0 or the errno that stopped
// it. Async-signal-safe.
int write_fully(int fd, ByteView data);
int pwrite_fully(int fd, ByteView data, std::uint64_t offset);

// "cannot open x.lap: No such file or directory", with the kind that decides the exit code.
tl::unexpected<Error> errno_error(ErrorKind kind, const std::string& what, int error_number);
// The same for an output that cannot be written. A missing folder is a usage error, everything else
// a system error.
tl::unexpected<Error> write_error(const std::string& what, int error_number);

}  // namespace laptime
