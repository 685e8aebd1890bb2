#include "base/sink.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace laptime {

FileSink::FileSink(UniqueFd fd, std::string path, std::string temporary)
    : fd_(std::move(fd)), path_(std::move(path)), temporary_(std::move(temporary)) {}

Result<FileSink> FileSink::create(const std::string& path) {
  std::string temporary = path + ".tmp" + std::to_string(::getpid());
  UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  // A folder that is not there was named by mistake; everything else is the machine's refusal.
  if (!fd) return write_error("cannot write " + path, errno);
  return FileSink(std::move(fd), path, std::move(temporary));
}

FileSink::~FileSink() {
  if (fd_) ::unlink(temporary_.c_str());
}

Status FileSink::write(ByteView bytes) {
  if (const int error = write_fully(fd_.get(), bytes)) return errno_error(ErrorKind::system, "cannot write " + path_, error);
  return {};
}

Status FileSink::commit() {
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return errno_error(ErrorKind::system, "cannot write " + path_, errno);
  fd_.reset();
  return {};
}

}  // namespace laptime
