// A GPU's copy or fill as one number: its direction and memory kinds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace laptime {

// Stable numbers: they are in files. They equal CUpti_ActivityMemcpyKind.
enum class CopyDirection : std::uint8_t {
  unknown = 0,
  host_to_device = 1,
  device_to_host = 2,
  host_to_array = 3,
  array_to_host = 4,
  array_to_array = 5,
  array_to_device = 6,
  device_to_array = 7,
  device_to_device = 8,
  host_to_host = 9,
  peer_to_peer = 10,
};

// Stable numbers: they are in files. They equal CUpti_ActivityMemoryKind.
enum class MemoryKind : std::uint8_t {
  unknown = 0,
  pageable = 1,
  pinned = 2,
  device = 3,
  array = 4,
  managed = 5,
  device_static = 6,
  managed_static = 7,
};

CopyDirection copy_direction(std::uint64_t number);  // unknown for a number that is none
MemoryKind memory_kind(std::uint64_t number);        // the same
std::string_view name_of(CopyDirection direction);   // "HtoD"
std::string_view name_of(MemoryKind kind);           // "Pageable"

// A fill has only a target.
struct CopyInfo {
  CopyDirection direction = CopyDirection::unknown;
  MemoryKind source = MemoryKind::unknown, target = MemoryKind::unknown;
  bool blocking = false;  // the call returns only after the copy, because the program requested it

  // bit 24        16       8           0
  //  | blocking | target | source | direction |
  std::uint64_t pack() const {
    return static_cast<std::uint64_t>(direction) | static_cast<std::uint64_t>(source) << 8 |
           static_cast<std::uint64_t>(target) << 16 | static_cast<std::uint64_t>(blocking) << 24;
  }
  static CopyInfo unpack(std::uint64_t packed) {
    return {copy_direction(packed & 0xFF), memory_kind(packed >> 8 & 0xFF),
            memory_kind(packed >> 16 & 0xFF), (packed >> 24 & 1) != 0};
  }

  bool is_to_gpu() const { return direction == CopyDirection::host_to_device; }
  bool is_from_gpu() const { return direction == CopyDirection::device_to_host; }
  // Between a CPU and a GPU.
  bool is_transfer() const { return is_to_gpu() || is_from_gpu(); }
  // Whether the call returns only when the data are under way: copies from and to pageable memory,
  // or blocking ones.
  bool waits() const {
    return blocking || source == MemoryKind::pageable || target == MemoryKind::pageable;
  }
  bool operator==(const CopyInfo&) const = default;
};

// Names of spans in the format of torch.profiler: "Memcpy HtoD (Pageable -> Device)", "Memset
// (Device)".
std::string copy_name(const CopyInfo& copy);
std::string fill_name(MemoryKind target);

}  // namespace laptime
