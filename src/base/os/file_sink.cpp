#include "base/os/file_sink.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string_view>

#include "base/clock.h"
#include "base/os/output_path.h"

namespace laptime {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporary = ".laptime-";  // .NAME.laptime-XXXXXX
constexpr std::size_t kRandom = 6;
// A writer locks its file right after making it. Until then, no other process may treat it as
// abandoned.
constexpr auto kSurelyLocked = std::chrono::minutes(1);

std::string temporary_prefix(const fs::path& path) {
  return "." + path.filename().string() + std::string(kTemporary);
}

bool is_abandoned(const fs::path& file) {
  std::error_code error;
  const auto age = fs::file_time_type::clock::now() - fs::last_write_time(file, error);
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat found{};
  return !error && age > kSurelyLocked && fd && ::fstat(fd.get(), &found) == 0 &&
         S_ISREG(found.st_mode) && found.st_uid == ::geteuid() &&
         ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0;
}

void remove_abandoned(const fs::path& path) {
  std::error_code error;
  const std::string prefix = temporary_prefix(path);
  for (const fs::directory_entry& entry : fs::directory_iterator(path.parent_path(), error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.size() == prefix.size() + kRandom &&
        is_abandoned(entry.path()))
      ::unlink(entry.path().c_str());
  }
}

std::string random_letters() {
  std::uint64_t bits = 0;
  if (::getrandom(&bits, sizeof bits, GRND_NONBLOCK) != sizeof bits)
    bits = monotonic_ns();  // O_EXCL still protects
  std::string letters;
  for (std::size_t i = 0; i < kRandom; ++i, bits /= 36)
    letters += "abcdefghijklmnopqrstuvwxyz0123456789"[bits % 36];
  return letters;
}

struct NewFile {
  UniqueFd fd;
  std::string path;
};

NewFile make_temporary(const fs::path& file, mode_t mode) {
  constexpr int kMostTries = 100;
  NewFile made;
  for (int i = 0; i < kMostTries && !made.fd; ++i) {
    made.path = (file.parent_path() / (temporary_prefix(file) + random_letters())).string();
    made.fd = UniqueFd(
        ::open(made.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!made.fd && errno != EEXIST) break;
  }
  return made;
}

int sync_folder_of(const fs::path& path) {
  const UniqueFd folder(::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder && ::fsync(folder.get()) == 0 ? 0 : errno;
}

}  // namespace

FileSink::FileSink(UniqueFd fd, std::string path, std::string temporary)
    : fd_(std::move(fd)), path_(std::move(path)), temporary_(std::move(temporary)) {}

Result<FileSink> FileSink::create(const std::string& path, mode_t mode) {
  const OutputPath output = resolve_output(path);
  if (!output.is_replaceable) {
    UniqueFd through(output.descriptor ? ::fcntl(*output.descriptor, F_DUPFD_CLOEXEC, 3)
                                       : ::open(output.file.c_str(), O_WRONLY | O_CLOEXEC));
    if (!through) return write_error("cannot write " + path, errno);
    return FileSink(std::move(through), path, "");
  }
  remove_abandoned(output.file);
  NewFile made = make_temporary(output.file, mode);
  // A missing folder is a usage error, everything else a system error.
  if (!made.fd) return write_error("cannot write " + path, errno);
  ::flock(made.fd.get(), LOCK_EX | LOCK_NB);
  return FileSink(std::move(made.fd), output.file, std::move(made.path));
}

FileSink::~FileSink() {
  if (fd_ && !temporary_.empty()) ::unlink(temporary_.c_str());
}

Status FileSink::write(ByteView bytes) {
  if (const int error = write_fully(fd_.get(), bytes))
    return errno_error(ErrorKind::system, "cannot write " + path_, error);
  return {};
}

Status FileSink::commit() {
  if (!temporary_.empty() && ::rename(temporary_.c_str(), path_.c_str()) != 0)
    return errno_error(ErrorKind::system, "cannot write " + path_, errno);
  fd_.reset();
  return {};
}

Status FileSink::commit_durably() {
  if (temporary_.empty()) return commit();
  if (::fsync(fd_.get()) != 0 && errno != EINVAL)
    return errno_error(ErrorKind::system, "cannot write " + path_, errno);
  RETURN_IF_ERROR(commit());
  if (const int error = sync_folder_of(path_); error != 0 && error != EINVAL)
    return errno_error(ErrorKind::system, "cannot write " + path_, error);
  return {};
}

}  // namespace laptime
