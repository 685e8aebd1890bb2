#include "collect/xplane/line_thread.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <cstddef>
#include <cstdio>
#include <optional>

namespace laptime {

namespace {

// MurmurHash64A of 8 bytes, as std::_Hash_bytes computes it.
constexpr std::uint64_t kFactor = 0xc6a4a7935bd1e995, kInverse = 0x5f7a0ea7e59b19bd;
constexpr std::uint64_t kSeed = 0xc70f6907 ^ 8 * kFactor;
static_assert(kFactor * kInverse == 1);

// Its own inverse.
constexpr std::uint64_t fold(std::uint64_t value) { return value ^ value >> 47; }

std::uint64_t unhashed(std::uint64_t hash) {
  const std::uint64_t mixed = fold(fold(hash) * kInverse) * kInverse ^ kSeed;
  return fold(mixed * kInverse) * kInverse;
}

// Nothing if this process has no such memory.
std::optional<pid_t> read_id(std::uint64_t address) {
  pid_t id = 0;
  const iovec to{&id, sizeof id};
  const iovec from{reinterpret_cast<void*>(address), sizeof id};
  if (::process_vm_readv(::getpid(), &to, 1, &from, 1, 0) != sizeof id) return std::nullopt;
  return id;
}

// Where a thread's memory has its kernel id: where this thread's has it. 0: unknown.
std::size_t find_offset() {
  constexpr std::size_t kEnd = 2048;
  const auto self = static_cast<std::uint64_t>(::pthread_self());
  const auto own = static_cast<pid_t>(::syscall(SYS_gettid));
  for (std::size_t offset = sizeof own; offset < kEnd; offset += sizeof own)
    if (read_id(self + offset) == own) return offset;
  return 0;
}

bool is_thread(std::uint64_t id) {
  if (id == 0 || id > INT32_MAX) return false;
  char path[48];
  std::snprintf(path, sizeof path, "/proc/self/task/%u", static_cast<unsigned>(id));
  return ::access(path, F_OK) == 0;
}

}  // namespace

std::uint64_t thread_of_line(std::uint64_t line_id) {
  static const std::size_t offset = find_offset();
  if (is_thread(line_id)) return line_id;
  const std::uint64_t thread = unhashed(line_id);
  if (offset == 0 || thread % alignof(std::max_align_t) != 0) return line_id;
  const auto id = read_id(thread + offset);
  return id && *id > 0 && is_thread(static_cast<std::uint64_t>(*id))
             ? static_cast<std::uint64_t>(*id)
             : line_id;
}

}  // namespace laptime
