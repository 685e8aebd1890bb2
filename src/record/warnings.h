// The recorder's own warnings. Collectors add theirs by name with warning_index.
#pragma once

#include <cstdint>
#include <string_view>

#include "format/facts.h"

namespace laptime::record {

enum BuiltinWarning : std::uint32_t {
  kWarningBufferFull = 0,
  kWarningNames = 1,
  kWarningTracks = 2,
  kWarningUnencodable = 3,
  kWarningDiskFull = 4,
  kWarningFileLimit = 5,
  kWarningPartLost = 6,
  kWarningWriteFailed = 7,
  kWarningNoThread = 8,
  kBuiltinWarnings = 9,
};

struct WarningDefinition {
  std::string_view name;
  Severity severity;
  std::string_view message;
};

inline constexpr WarningDefinition kBuiltinWarningDefinitions[kBuiltinWarnings] = {
    {"buffer_full", Severity::error,
     "records dropped because the memory limit was reached; raise --memory-limit"},
    {"too_many_names", Severity::warning,
     "distinct names past the limit were recorded as \"(other names)\""},
    {"too_many_tracks", Severity::warning,
     "tracks past the limit were recorded on the thread that reported them"},
    {"malformed_records", Severity::error, "invalid raw records were left out"},
    {"disk_full", Severity::error,
     "records dropped after the disk or the quota was full; earlier records are kept"},
    {"file_size_limit", Severity::error,
     "records dropped because of the limit on file sizes (ulimit -f)"},
    {"part_lost", Severity::error,
     "records dropped after the recording's file was deleted, truncated or closed permanently"},
    {"write_failed", Severity::error, "records dropped after the recording could not be written"},
    {"no_encoder_thread", Severity::warning,
     "processes without room for the encoder's thread: records over the memory limit are dropped"},
};

}  // namespace laptime::record
