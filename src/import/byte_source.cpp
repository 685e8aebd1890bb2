#include "import/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/os/file.h"

namespace laptime {

namespace {

class FileSource final : public ByteSource {
 public:
  explicit FileSource(UniqueFd fd) : fd_(std::move(fd)) {}

  Result<std::size_t> read(std::span<std::uint8_t> out) override {
    for (;;) {
      const ssize_t n = ::read(fd_.get(), out.data(), out.size());
      if (n >= 0) return static_cast<std::size_t>(n);
      if (errno != EINTR) return errno_error(ErrorKind::bad_file, "cannot be read", errno);
    }
  }

 private:
  UniqueFd fd_;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(ByteView bytes, std::size_t most) : left_(bytes), most_(most) {}

  Result<std::size_t> read(std::span<std::uint8_t> out) override {
    const std::size_t n = std::min({out.size(), left_.size(), most_});
    if (n > 0) std::memcpy(out.data(), left_.data(), n);
    left_ = left_.subspan(n);
    return n;
  }

 private:
  ByteView left_;
  std::size_t most_;
};

}  // namespace

Result<OpenedFile> open_byte_source(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return errno_error(ErrorKind::bad_file, "cannot open " + path, errno);
  struct stat st;
  if (::fstat(fd.get(), &st) != 0)
    return errno_error(ErrorKind::bad_file, "cannot read " + path, errno);
  if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode) && !S_ISCHR(st.st_mode))
    return fail(ErrorKind::bad_file, path + " is not a regular file");
  return OpenedFile{std::make_unique<FileSource>(std::move(fd)), S_ISREG(st.st_mode)};
}

std::unique_ptr<ByteSource> memory_source(ByteView bytes, std::size_t most) {
  return std::make_unique<MemorySource>(bytes, most);
}

}  // namespace laptime
