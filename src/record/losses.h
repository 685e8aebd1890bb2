// The recorder's own losses. Collectors add theirs by name through loss_index.
#pragma once

#include <cstdint>
#include <string_view>

#include "format/facts.h"

namespace laptime::record {

enum BuiltinLoss : std::uint32_t {
  kLossBufferFull = 0,
  kLossNames = 1,
  kLossTracks = 2,
  kLossUnencodable = 3,
  kBuiltinLosses = 4,
};

struct LossDefinition {
  std::string_view name;
  Severity severity;
  std::string_view message;
};

inline constexpr LossDefinition kBuiltinLossDefinitions[kBuiltinLosses] = {
    {"buffer_full", Severity::error, "records dropped because the memory limit was reached; raise --memory-limit"},
    {"too_many_names", Severity::warning, "distinct names past the limit were recorded as \"(other names)\""},
    {"too_many_tracks", Severity::warning, "tracks past the limit were recorded on the thread that reported them"},
    {"malformed_records", Severity::error, "raw records that make no sense were left out"},
};

}  // namespace laptime::record
