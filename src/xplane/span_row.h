// A span of a profile, with ids of its user's texts.
#pragma once

#include <array>
#include <cstdint>

#include "format/device.h"
#include "format/facts.h"
#include "format/names.h"
#include "format/record.h"

namespace laptime {

struct SpanRow {
  static constexpr std::size_t kMaxArgs = 10;
  struct Arg {
    ArgKey key;
    ArgType type;
    std::uint64_t value;
  };

  std::int64_t start = 0, end = 0;
  std::uint32_t name = 0;
  SpanKind kind = SpanKind::scope;
  std::uint8_t arg_count = 0;
  std::uint64_t link = 0;
  std::array<Arg, kMaxArgs> args;

  // Beyond kMaxArgs it is left out.
  void add(ArgKey key, ArgType type, std::uint64_t value) {
    if (arg_count < kMaxArgs) args[arg_count++] = {key, type, value};
  }
};

// Stores what rows refer to, and returns its id.
class SpanTexts {
 public:
  virtual ~SpanTexts() = default;
  // 0 for the empty text.
  virtual std::uint32_t text(std::string_view text) = 0;
  virtual std::uint32_t launch_config(const LaunchConfig& config) = 0;
  virtual std::uint32_t device(Device device) = 0;
};

}  // namespace laptime
