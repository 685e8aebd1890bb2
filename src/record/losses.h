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
  kLossDiskFull = 4,
  kLossFileLimit = 5,
  kLossPartLost = 6,
  kLossWriteFailed = 7,
  kLossNoThread = 8,
  kBuiltinLosses = 9,
};

struct LossDefinition {
  std::string_view name;
  Severity severity;
  std::string_view message;
};

inline constexpr LossDefinition kBuiltinLossDefinitions[kBuiltinLosses] = {
    {"buffer_full", Severity::error,
     "records dropped because the memory limit was reached; raise --memory-limit"},
    {"too_many_names", Severity::warning,
     "distinct names past the limit were recorded as \"(other names)\""},
    {"too_many_tracks", Severity::warning,
     "tracks past the limit were recorded on the thread that reported them"},
    {"malformed_records", Severity::error, "raw records that make no sense were left out"},
    {"disk_full", Severity::error,
     "records dropped after the disk or the quota was full; what was recorded before is kept"},
    {"file_size_limit", Severity::error,
     "records dropped because of the limit on file sizes (ulimit -f)"},
    {"part_lost", Severity::error,
     "records dropped after the recording's file was deleted, truncated or closed for good"},
    {"write_failed", Severity::error, "records dropped after the recording could not be written"},
    {"no_encoder_thread", Severity::warning,
     "processes without room for the encoder's thread: records over the memory limit are dropped"},
};

}  // namespace laptime::record
