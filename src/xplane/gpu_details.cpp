#include "xplane/gpu_details.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace laptime {

namespace {

// Calls visit(key, value) for each word.
template <typename Visit>
void for_each_word(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find_first_of(" \n"));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (const auto colon = word.find(':'); colon != std::string_view::npos)
      visit(word.substr(0, colon), word.substr(colon + 1));
  }
}

template <typename Number>
const char* read_number(std::string_view text, Number& number) {
  return std::from_chars(text.data(), text.data() + text.size(), number).ptr;
}

bool read_triple(std::string_view text, std::array<std::uint32_t, 3>& numbers) {
  for (std::size_t i = 0; i < 3; ++i) {
    const auto read = static_cast<std::size_t>(read_number(text, numbers[i]) - text.data());
    if (read == 0) return false;
    text.remove_prefix(std::min(read + 1, text.size()));
  }
  return true;
}

MemoryKind memory_kind_of(std::string_view text) {
  if (text == "pageable") return MemoryKind::pageable;
  if (text == "pinned") return MemoryKind::pinned;
  if (text == "device") return MemoryKind::device;
  if (text == "array") return MemoryKind::array;
  if (text == "managed") return MemoryKind::managed;
  if (text == "device_static") return MemoryKind::device_static;
  if (text == "managed_static") return MemoryKind::managed_static;
  return MemoryKind::unknown;
}

CopyDirection direction_of(std::string_view event_name) {
  if (event_name.find("H2D") != std::string_view::npos) return CopyDirection::host_to_device;
  if (event_name.find("D2H") != std::string_view::npos) return CopyDirection::device_to_host;
  if (event_name.find("D2D") != std::string_view::npos) return CopyDirection::device_to_device;
  if (event_name.find("H2H") != std::string_view::npos) return CopyDirection::host_to_host;
  if (event_name.find("P2P") != std::string_view::npos) return CopyDirection::peer_to_peer;
  return CopyDirection::unknown;
}

}  // namespace

std::optional<LaunchConfig> launch_config_of(std::string_view kernel_details) {
  LaunchConfig config;
  bool has_grid = false, has_block = false;
  for_each_word(kernel_details, [&](std::string_view key, std::string_view value) {
    if (key == "regs") read_number(value, config.registers);
    if (key == "static_shared") read_number(value, config.static_shared);
    if (key == "dynamic_shared") read_number(value, config.dynamic_shared);
    if (key == "grid") has_grid = read_triple(value, config.grid);
    if (key == "block") has_block = read_triple(value, config.block);
  });
  if (!has_grid || !has_block) return std::nullopt;
  return config;
}

CopyDetails copy_details_of(std::string_view details, std::string_view event_name) {
  CopyDetails result;
  result.copy.direction = direction_of(event_name);
  for_each_word(details, [&](std::string_view key, std::string_view value) {
    if (key == "size" || key == "num_bytes") read_number(value, result.bytes);
    if (key == "kind_src") result.copy.source = memory_kind_of(value);
    if (key == "kind_dst" || key == "kind") result.copy.target = memory_kind_of(value);
    if (key == "async") result.copy.blocking = value == "0";
  });
  return result;
}

}  // namespace laptime
