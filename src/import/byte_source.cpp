#include "import/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
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

}  // namespace laptime
