#include "base/os/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "base/humane.h"

namespace laptime {

namespace {

// Runs with millions of equal records or with many names need less. Their columns take at most 50
// times the file's size.
constexpr std::uint64_t kFreeBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMostPerFileByte = 64;

std::uint64_t user_limit = 0;  // 0: none

std::uint64_t machine_memory() {
  std::ifstream meminfo("/proc/meminfo");
  std::string key, unit;
  for (std::uint64_t kib; meminfo >> key >> kib; std::getline(meminfo, unit))
    if (key == "MemAvailable:") return kib * 1024;
  return UINT64_MAX;
}

std::uint64_t left_of(std::uint64_t limit, std::uint64_t used) {
  return limit > used ? limit - used : 0;
}

struct Usage {
  std::uint64_t address_space = 0, data = 0;
};

Usage own_usage() {
  std::uint64_t size = 0, resident = 0, shared = 0, text = 0, lib = 0, data = 0;
  std::ifstream("/proc/self/statm") >> size >> resident >> shared >> text >> lib >> data;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return {size * page, data * page};
}

std::uint64_t limit_left(decltype(RLIMIT_AS) resource, std::uint64_t used) {
  rlimit limit;
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return left_of(limit.rlim_cur, used);
}

// "max" is not a number.
std::uint64_t number_in(const std::string& path, std::uint64_t otherwise) {
  std::uint64_t number = otherwise;
  std::ifstream in(path);
  return in >> number ? number : otherwise;
}

// Pages of files count as used, but the kernel reclaims them first.
std::uint64_t reclaimable(const std::string& folder) {
  std::ifstream stat(folder + "/memory.stat");
  std::string key;
  for (std::uint64_t bytes; stat >> key >> bytes;)
    if (key == "inactive_file" || key == "total_inactive_file") return bytes;
  return 0;
}

std::uint64_t group_left(const std::string& folder, const char* limit, const char* usage) {
  const std::uint64_t most = number_in(folder + limit, UINT64_MAX);
  if (most == UINT64_MAX) return UINT64_MAX;
  return left_of(most, left_of(number_in(folder + usage, 0), reclaimable(folder)));
}

// The limits of all outer groups apply, too.
std::uint64_t groups_left(const std::string& mount, std::string path, const char* limit,
                          const char* usage) {
  std::uint64_t left = UINT64_MAX;
  for (;;) {
    left = std::min(left, group_left(mount + path, limit, usage));
    const std::size_t parent = path.rfind('/');
    if (parent == std::string::npos) return left;
    path.resize(parent);
  }
}

}  // namespace

std::uint64_t cgroup_memory_left(const std::string& membership, const std::string& mount) {
  std::uint64_t left = UINT64_MAX;
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {  // number:controllers:path
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1),
                      path = line.substr(second + 1);
    if (controllers.empty())
      left = std::min(left, groups_left(mount, path, "/memory.max", "/memory.current"));
    else if (("," + controllers + ",").find(",memory,") != std::string::npos)
      left = std::min(left, groups_left(mount + "/memory", path, "/memory.limit_in_bytes",
                                        "/memory.usage_in_bytes"));
  }
  return left;
}

std::uint64_t available_memory() {
  const Usage used = own_usage();
  std::ostringstream membership;
  membership << std::ifstream("/proc/self/cgroup").rdbuf();
  return std::min({machine_memory(), limit_left(RLIMIT_AS, used.address_space),
                   limit_left(RLIMIT_DATA, used.data),
                   cgroup_memory_left(membership.str(), "/sys/fs/cgroup")});
}

void set_max_memory(std::uint64_t bytes) { user_limit = bytes; }

std::uint64_t max_memory() { return user_limit; }

void hold_memory_to_limit() {
  rlimit limit;
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const std::uint64_t available = available_memory(), used = own_usage().data;
  const std::uint64_t most = user_limit != 0 ? user_limit : available - available / 4;
  if (most >= UINT64_MAX / 2 || most + used >= limit.rlim_cur) return;
  if (used > available)
    return;  // under a sanitizer, whose tables take more addresses than the memory has
  limit.rlim_cur = most + used;
  ::setrlimit(RLIMIT_DATA, &limit);
}

std::uint64_t ReadBudget::proportional() const {
  if (user_limit != 0) return UINT64_MAX;
  return kFreeBytes + std::min(file_bytes_, UINT64_MAX / 2 / kMostPerFileByte) * kMostPerFileByte;
}

bool ReadBudget::take(std::uint64_t bytes) {
  if (memory_ == 0)
    memory_ = std::max<std::uint64_t>(
        1, user_limit != 0 ? std::min(user_limit, available_memory()) : available_memory());
  used_ += std::min(bytes, UINT64_MAX - used_);
  exceeded_ |= used_ > memory_ || used_ > proportional();
  return !exceeded_;
}

tl::unexpected<Error> ReadBudget::refusal(const std::string& path) const {
  const std::string takes =
      path + " takes at least " + humane_bytes(static_cast<double>(used_)) + " of memory to read";
  if (used_ > proportional())
    return fail(ErrorKind::bad_file,
                takes + ", far more than a file of " +
                    humane_bytes(static_cast<double>(file_bytes_)) +
                    " should: damaged or hostile (--max-memory SIZE reads it all the same)");
  // hold_memory_to_limit made the user's limit the process's limit, of which some is used by now.
  if (user_limit != 0 && memory_ + (16u << 20) >= user_limit)
    return fail(ErrorKind::system,
                takes + "; --max-memory allows " + humane_bytes(static_cast<double>(memory_)));
  return fail(ErrorKind::system,
              takes + "; " + humane_bytes(static_cast<double>(memory_)) + " are available");
}

}  // namespace laptime
