#include "base/os/output_path.h"

#include <sys/stat.h>
#include <unistd.h>
#include <charconv>
#include <filesystem>
#include <system_error>

namespace laptime {

namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // the kernel's limit

std::optional<int> number_in(const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                  : std::nullopt;
}

// The folder's real path, and the name in it, which may be a link.
fs::path with_real_folder(const fs::path& path) {
  std::error_code error;
  const fs::path folder =
      fs::canonical(path.has_parent_path() ? path.parent_path() : fs::path("."), error);
  return error ? path : folder / path.filename();
}

bool is_own_descriptor(const fs::path& path) {
  static const fs::path kDescriptors = fs::path("/proc") / "self" / "fd";
  std::error_code error;
  return fs::equivalent(path.parent_path(), kDescriptors, error);
}

// Links that another user put into a folder like /tmp are left to the kernel. Where protected links
// are enabled, it refuses them.
bool is_trusted(const fs::path& link) {
  struct stat file{}, folder{};
  if (::lstat(link.c_str(), &file) != 0 || ::stat(link.parent_path().c_str(), &folder) != 0)
    return false;
  const bool is_shared = (folder.st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH);
  return !is_shared || file.st_uid == ::geteuid() || file.st_uid == folder.st_uid;
}

}  // namespace

OutputPath resolve_output(const std::string& path) {
  std::error_code error;
  fs::path at = with_real_folder(path);
  for (int i = 0; i < kMostLinks; ++i) {
    if (is_own_descriptor(at)) return {at, number_in(at.filename()), false};
    if (!fs::is_symlink(fs::symlink_status(at, error))) break;
    if (!is_trusted(at)) return {at, std::nullopt, false};
    const fs::path target = fs::read_symlink(at, error);
    if (error) break;
    at = with_real_folder(at.parent_path() / target);
  }
  const fs::file_status status = fs::status(at, error);
  return {at, std::nullopt,
          status.type() == fs::file_type::not_found || fs::is_regular_file(status)};
}

}  // namespace laptime
