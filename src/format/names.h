// The keys of span arguments. A well-known key is a number, so neither writer nor reader compares
// texts. A program's or a collector's own key is a string.
//
// In memory and in raw records, bit 31 marks a well-known key. Files store the key rotated left by
// one bit: well-known keys are odd, string ids even. Both take one byte if they are small.
#pragma once

#include <bit>
#include <cstdint>

namespace laptime {

inline constexpr std::uint32_t kWellKnownKey = 1u << 31;

// Stable numbers: they are in files. A key's comment has its ArgType and its meaning.
enum class ArgKey : std::uint32_t {
  none = 0,
  call_site = kWellKnownKey | 1,      // call site: where the program caused the span
  bytes = kWellKnownKey | 2,          // integer: of a copy, a fill, a block of memory
  copy = kWellKnownKey | 3,           // integer, CopyInfo: direction, memory kinds, blocking
  launch_config = kWellKnownKey | 4,  // launch_config: of a kernel
  autograd = kWellKnownKey | 5,       // integer, LaunchNode: autograd's state at a launch
  graph_node = kWellKnownKey | 6,     // integer, GraphNodeLink: the node that ran the work
  device = kWellKnownKey | 7,         // string: of a tensor's block, absent for the CPU
  shapes = kWellKnownKey | 8,         // string: of an op's inputs
  types = kWellKnownKey | 9,          // string: of an op's inputs
  flops = kWellKnownKey | 10,         // integer: of an op
  samples = kWellKnownKey | 11,       // integer: of a step
  ops = kWellKnownKey | 12,           // integer: 1 if all ops of the step were recorded, else 0
};

// The key that a string names; 0 is no string.
constexpr ArgKey named_key(std::uint32_t string) { return static_cast<ArgKey>(string); }
constexpr bool is_well_known(ArgKey key) {
  return (static_cast<std::uint32_t>(key) & kWellKnownKey) != 0;
}
constexpr std::uint32_t string_of(ArgKey key) { return static_cast<std::uint32_t>(key); }

constexpr std::uint32_t stored_key(ArgKey key) {
  return std::rotl(static_cast<std::uint32_t>(key), 1);
}
constexpr ArgKey key_from_stored(std::uint64_t stored) {
  return static_cast<ArgKey>(std::rotr(static_cast<std::uint32_t>(stored), 1));
}

}  // namespace laptime
