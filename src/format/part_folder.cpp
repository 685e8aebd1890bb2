#include "format/part_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/clock.h"
#include "base/os/process.h"
#include "format/part.h"

namespace laptime {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPart = ".part", kMissing = ".missing";

// PID-HEX and an extension.
bool has_part_name(std::string_view name, std::string_view extension) {
  unsigned pid = 0;
  unsigned long long number = 0;
  int length = 0;
  return std::sscanf(name.data(), "%9u-%16llx%n", &pid, &number, &length) == 2 &&
         name.substr(static_cast<std::size_t>(length)) == extension;
}

std::uint32_t pid_in_name(const char* name) {
  return static_cast<std::uint32_t>(std::strtoul(name, nullptr, 10));
}

// The process's facts in the header. All zero if the process died before it wrote the header.
struct Header {
  alignas(PartHeader) std::array<std::byte, sizeof(PartHeader)> bytes{};
  const PartHeader& part() const { return *reinterpret_cast<const PartHeader*>(bytes.data()); }
  bool is_part() const { return std::memcmp(part().magic, kPartMagic, sizeof kPartMagic) == 0; }
  bool is_empty() const {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
  }
};

bool is_locked(int fd) {
  if (::flock(fd, LOCK_SH | LOCK_NB) != 0) return true;
  ::flock(fd, LOCK_UN);
  return false;
}

// The lock is lost if the program closed the descriptor. Then the process itself is searched.
bool is_live(int fd, const Header& header, std::uint32_t pid) {
  if (is_locked(fd)) return true;
  if (!header.is_part()) return process_start(pid) != 0;
  const PartHeader& part = header.part();
  return part.state.load() == PartState::recording && part.process_start != 0 &&
         process_start(part.pid) == part.process_start;
}

// Empty if the file is not a part of laptime's.
UniqueFd open_part(int folder, const char* name, Header& header) {
  if (!has_part_name(name, kPart)) return {};
  UniqueFd fd(::openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat file{};
  if (!fd || ::fstat(fd.get(), &file) != 0 || !S_ISREG(file.st_mode)) return {};
  if (::pread(fd.get(), header.bytes.data(), header.bytes.size(), 0) < 0) return {};
  return header.is_part() || header.is_empty() ? std::move(fd) : UniqueFd();
}

Result<UniqueFd> open_directory(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return write_error("cannot open " + path, errno);
  return fd;
}

std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> names;
  auto listing = open_directory(path);
  if (!listing) return names;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::fdopendir(listing->get()), &::closedir);
  if (!folder) return names;
  listing->release();
  while (const dirent* entry = ::readdir(folder.get())) names.emplace_back(entry->d_name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::string new_part_name() {
  char name[64];
  std::snprintf(name, sizeof name, "%d-%llx", static_cast<int>(::getpid()),
                static_cast<unsigned long long>(realtime_ns()));
  return name + std::string(kPart);
}

void leave_missing_part(const std::string& folder, const std::string& cause) {
  constexpr std::size_t kMostText = 200;
  const fs::path name = fs::path(new_part_name()).replace_extension(kMissing);
  (void)!::symlink(cause.substr(0, kMostText).c_str(), (folder / name).c_str());
}

Result<PartFolder> PartFolder::make(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return write_error("cannot create " + path, errno);
  return open(path);
}

Result<PartFolder> PartFolder::open(const std::string& path) {
  ASSIGN_OR_RETURN(UniqueFd fd, open_directory(path));
  return PartFolder(path, std::move(fd));
}

bool PartFolder::lock() { return ::flock(fd_.get(), LOCK_EX | LOCK_NB) == 0 && is_there(); }

bool PartFolder::is_there() const {
  struct stat held{}, there{};
  return ::fstat(fd_.get(), &held) == 0 && ::stat(path_.c_str(), &there) == 0 &&
         held.st_dev == there.st_dev && held.st_ino == there.st_ino;
}

std::vector<FoundPart> PartFolder::parts() const {
  std::vector<FoundPart> found;
  for (const std::string& name : names_in(path_)) {
    Header header;
    const UniqueFd part = open_part(fd_.get(), name.c_str(), header);
    const std::uint32_t pid = pid_in_name(name.c_str());
    if (part) found.push_back({name, pid, is_live(part.get(), header, pid), !header.is_empty()});
  }
  return found;
}

std::vector<MissingPart> PartFolder::missing() const {
  std::vector<MissingPart> found;
  for (const std::string& name : names_in(path_)) {
    char cause[256];
    const ssize_t n = has_part_name(name, kMissing)
                          ? ::readlinkat(fd_.get(), name.c_str(), cause, sizeof cause)
                          : -1;
    if (n >= 0) found.push_back({name, {cause, static_cast<std::size_t>(n)}});
  }
  return found;
}

void PartFolder::remove(const FoundPart& found) const {
  Header header;
  const UniqueFd part = open_part(fd_.get(), found.name.c_str(), header);
  if (!part) return;
  const PartState sealed = PartState::sealed;
  if (header.is_part())
    (void)!::pwrite(part.get(), &sealed, sizeof sealed, offsetof(PartHeader, state));
  ::unlinkat(fd_.get(), found.name.c_str(), 0);
}

void PartFolder::remove(const MissingPart& missing) const {
  ::unlinkat(fd_.get(), missing.name.c_str(), 0);
}

void PartFolder::remove_shared() const { ::unlinkat(fd_.get(), kSharedFile, 0); }

void PartFolder::remove_if_empty() const {
  if (parts().empty()) remove_shared();
  ::rmdir(path_.c_str());
}

std::string free_run_name(const std::string& file) {
  const fs::path path = file;
  const std::string extension = path.extension() == ".lap" ? ".lap" : "";
  const std::string stem = file.substr(0, file.size() - extension.size());
  std::error_code ignored;
  for (int i = 2;; ++i) {
    const std::string name = stem + "." + std::to_string(i) + extension;
    if (!fs::exists(fs::symlink_status(name, ignored)) &&
        !fs::exists(fs::symlink_status(name + ".d", ignored)))
      return name;
  }
}

Result<std::string> keep_unsealed(const std::string& file) {
  const std::string name = free_run_name(file);
  if (::rename((file + ".d").c_str(), (name + ".d").c_str()) != 0)
    return write_error("cannot rename " + file + ".d", errno);
  return name;
}

std::string kept_line(const std::string& file, const std::string& kept_as) {
  return file + ".d holds a run that was killed before it was sealed; it is kept as " + kept_as +
         ".d (laptime report " + kept_as + ")";
}

}  // namespace laptime
