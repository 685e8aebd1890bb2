#include "base/os/process.h"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "base/os/file.h"

namespace laptime {

namespace {

constexpr int kState = 3, kParent = 4, kStart = 22;  // fields of /proc/PID/stat, see proc(5)

namespace fs = std::filesystem;

// Empty if it cannot be read: the process is another user's, or has ended.
std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class ProcessStat {
 public:
  explicit ProcessStat(std::uint32_t pid) {
    char path[32];
    std::snprintf(path, sizeof path, "/proc/%u/stat", pid);
    const UniqueFd fd(::open(path, O_RDONLY | O_CLOEXEC));
    const ssize_t n = fd ? ::read(fd.get(), text_, sizeof text_ - 1) : 0;
    text_[std::max<ssize_t>(n, 0)] = '\0';
  }

  // Field 2, the name, may contain blanks and brackets, so fields are counted from its end. Empty
  // if there is no such process.
  const char* field(int number) const {
    const char* at = std::strrchr(text_, ')');
    for (int i = 2; at && i < number; ++i) at = std::strchr(at + 1, ' ');
    return at ? at + 1 : "";
  }
  std::uint64_t number(int field_number) const {
    return std::strtoull(field(field_number), nullptr, 10);
  }

 private:
  char text_[1024];
};

}  // namespace

std::uint64_t process_start(std::uint32_t pid) {
  const ProcessStat stat(pid);
  return *stat.field(kState) == 'Z' ? 0 : stat.number(kStart);
}

std::vector<std::uint32_t> processes_with(std::string_view entry, std::string_view library) {
  std::vector<std::uint32_t> found;
  std::error_code ignored;
  const std::string wanted = '\0' + std::string(entry) + '\0';
  for (const fs::directory_entry& process : fs::directory_iterator("/proc", ignored)) {
    std::uint32_t pid = 0;
    const std::string name = process.path().filename().string();
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc() || end != name.data() + name.size()) continue;
    if (('\0' + text_of(process.path() / "environ")).find(wanted) == std::string::npos) continue;
    if (text_of(process.path() / "maps").find(library) != std::string::npos) found.push_back(pid);
  }
  return found;
}

std::uint32_t parent_of(std::uint32_t pid) {
  return static_cast<std::uint32_t>(ProcessStat(pid).number(kParent));
}

bool is_stopped(std::uint32_t pid) {
  const char state = *ProcessStat(pid).field(kState);
  return state == 'T' || state == 't';
}

}  // namespace laptime
