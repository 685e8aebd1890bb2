#include "base/os/file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

namespace laptime {

void UniqueFd::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

tl::unexpected<Error> errno_error(ErrorKind kind, const std::string& what, int error_number) {
  return fail(kind, what + ": " + std::strerror(error_number));
}

tl::unexpected<Error> write_error(const std::string& what, int error_number) {
  return errno_error(
      error_number == ENOENT || error_number == ENOTDIR ? ErrorKind::usage : ErrorKind::system,
      what, error_number);
}

namespace {

constexpr std::int64_t kBlock = 512;  // of stat's st_blocks

struct OpenFile {
  UniqueFd fd;
  std::size_t size;
  bool is_sparse;  // most of it is holes
};

Result<OpenFile> open_regular(const std::string& path) {
  // With O_NONBLOCK, a FIFO given by mistake is refused below instead of waiting for a writer.
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return errno_error(ErrorKind::bad_file, "cannot open " + path, errno);
  struct stat st;
  if (::fstat(fd.get(), &st) != 0)
    return errno_error(ErrorKind::bad_file, "cannot read " + path, errno);
  if (!S_ISREG(st.st_mode)) return fail(ErrorKind::bad_file, path + " is not a regular file");
  return OpenFile{std::move(fd), static_cast<std::size_t>(st.st_size),
                  st.st_blocks < st.st_size / kBlock / 2};
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  ASSIGN_OR_RETURN(OpenFile file, open_regular(path));
  if (file.size == 0) return MappedFile(nullptr, 0);
  void* data = ::mmap(nullptr, file.size, PROT_READ, MAP_PRIVATE, file.fd.get(), 0);
  if (data == MAP_FAILED) return errno_error(ErrorKind::bad_file, "cannot map " + path, errno);
  // With read-ahead, holes become pages of zeros: 100 MB of a recorder's file took 100 ms.
  if (file.is_sparse) ::madvise(data, file.size, MADV_RANDOM);
  return MappedFile(data, file.size);
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(data_, size_);
}

void MappedFile::release() const {
  if (data_) ::madvise(data_, size_, MADV_DONTNEED);
}

WrittenParts WrittenParts::of(const std::string& path) {
  WrittenParts written;
  const auto file = open_regular(path);
  // Other file systems allocate nothing when a hole is read. Some do not list data as written that
  // they have not yet stored. So there the whole file is read.
  struct statfs system;
  if (!file || ::fstatfs(file->fd.get(), &system) != 0 || system.f_type != TMPFS_MAGIC)
    return written;
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  off_t at = 0;
  while ((at = ::lseek(file->fd.get(), at, SEEK_DATA)) >= 0) {
    const off_t end = ::lseek(file->fd.get(), at, SEEK_HOLE);
    if (end <= at) return written;
    parts.emplace_back(at, end);
    at = end;
  }
  if (errno == ENXIO) written.parts_ = std::move(parts);  // no more data after that
  return written;
}

bool WrittenParts::has(std::size_t offset) const {
  if (!parts_) return true;
  const auto after =
      std::upper_bound(parts_->begin(), parts_->end(), offset,
                       [](std::size_t at, const auto& part) { return at < part.first; });
  return after != parts_->begin() && offset < std::prev(after)->second;
}

int write_fully(int fd, ByteView data) {
  while (!data.empty()) {
    const ssize_t n = ::write(fd, data.data(), data.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return EIO;
    data = data.subspan(static_cast<std::size_t>(n));
  }
  return 0;
}

int pwrite_fully(int fd, ByteView data, std::uint64_t offset) {
  while (!data.empty()) {
    const ssize_t n = ::pwrite(fd, data.data(), data.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return EIO;
    data = data.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return 0;
}

}  // namespace laptime
