#include "trace/gpu/occupancy.h"

#include <algorithm>

#include "format/names.h"
#include "trace/gpu/device_facts.h"

namespace laptime {

namespace {

constexpr std::uint64_t kWarp = 32;
constexpr std::uint64_t kRegisterUnit = 256;
constexpr std::uint64_t kPartitions =
    4;  // of a multiprocessor, each with its part of the registers
constexpr std::uint64_t kUnbounded = UINT64_MAX;

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// The number of blocks that the registers suffice for. A warp's registers are all in one partition.
std::uint64_t blocks_by_registers(std::uint64_t registers, std::uint64_t warps,
                                  const DeviceLimits& limits) {
  if (registers == 0) return kUnbounded;
  const std::uint64_t warps_of_partition =
      limits.registers / kPartitions / rounded_up(registers * kWarp, kRegisterUnit);
  return warps_of_partition * kPartitions / warps;
}

std::uint64_t blocks_by_shared(std::uint64_t bytes, const DeviceLimits& limits) {
  const bool is_before_ampere = limits.compute_major > 0 && limits.compute_major < 8;
  const std::uint64_t unit = is_before_ampere ? 256 : 128, of_system = is_before_ampere ? 0 : 1024;
  const std::uint64_t of_block = rounded_up(bytes + of_system, unit);
  return of_block == 0 ? kUnbounded : limits.shared_bytes / of_block;
}

}  // namespace

std::optional<DeviceLimits> device_limits(const Process& process, std::uint32_t device) {
  const auto number = [&](std::string_view key) { return device_number(process, device, key); };
  const DeviceLimits limits{
      number(device_property::kMultiprocessors), number(device_property::kMaxThreads),
      number(device_property::kMaxBlocks),       number(device_property::kRegisters),
      number(device_property::kSharedBytes),     number(device_property::kComputeMajor)};
  return limits.threads && limits.blocks && limits.registers && limits.shared_bytes
             ? std::optional(limits)
             : std::nullopt;
}

std::optional<double> occupancy(const LaunchConfig& launch, const DeviceLimits& limits) {
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (threads == 0) return std::nullopt;
  const std::uint64_t warps = rounded_up(threads, kWarp) / kWarp;
  const std::uint64_t blocks = std::min({limits.blocks, limits.threads / (warps * kWarp),
                                         blocks_by_registers(launch.registers, warps, limits),
                                         blocks_by_shared(launch.shared(), limits)});
  if (blocks == 0) return std::nullopt;
  return static_cast<double>(blocks * warps * kWarp) / static_cast<double>(limits.threads);
}

}  // namespace laptime
