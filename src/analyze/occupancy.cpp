#include "analyze/occupancy.h"

#include <algorithm>
#include <charconv>

#include "analyze/device_facts.h"

namespace laptime {

namespace {

constexpr std::uint64_t kWarp = 32;
constexpr std::uint64_t kRegisterUnit = 256;
constexpr std::uint64_t kSharedUnit = 1024;
constexpr std::uint64_t kSystemShared = 1024;

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

std::optional<LaunchConfiguration> parse_configuration(std::string_view text) {
  LaunchConfiguration c;
  std::uint32_t* const fields[] = {&c.grid[0], &c.grid[1], &c.grid[2], &c.block[0], &c.block[1], &c.block[2], &c.registers, &c.static_shared, &c.dynamic_shared};
  constexpr std::string_view kBetween = ",,;,,;;;";
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t i = 0; i < std::size(fields); ++i) {
    const auto [after, error] = std::from_chars(at, end, *fields[i]);
    if (error != std::errc()) return std::nullopt;
    at = after;
    if (i == std::size(fields) - 1) return at == end ? std::optional(c) : std::nullopt;
    if (at == end || *at++ != kBetween[i]) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<DeviceLimits> device_limits(const Properties& properties, std::uint32_t device) {
  const auto number = [&](std::string_view key) { return device_number(properties, device, key); };
  const DeviceLimits limits{number("multiprocessors"), number("max_threads_per_multiprocessor"), number("max_blocks_per_multiprocessor"),
                            number("registers_per_multiprocessor"), number("shared_bytes_per_multiprocessor")};
  return limits.threads && limits.blocks && limits.registers && limits.shared_bytes ? std::optional(limits) : std::nullopt;
}

std::optional<double> occupancy(const LaunchConfiguration& launch, const DeviceLimits& limits) {
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (threads == 0) return std::nullopt;
  const std::uint64_t warps = rounded_up(threads, kWarp) / kWarp;
  std::uint64_t blocks = std::min(limits.blocks, limits.threads / (warps * kWarp));
  if (launch.registers > 0) blocks = std::min(blocks, limits.registers / (rounded_up(launch.registers * kWarp, kRegisterUnit) * warps));
  blocks = std::min(blocks, limits.shared_bytes / (rounded_up(launch.shared(), kSharedUnit) + kSystemShared));
  if (blocks == 0) return std::nullopt;
  return static_cast<double>(blocks * warps * kWarp) / static_cast<double>(limits.threads);
}

}  // namespace laptime
