// The format versions that this laptime reads. docs/file-format.md lists their changes.
#pragma once

#include <string>

#include "base/status.h"
#include "format/part.h"

namespace laptime {

inline constexpr std::uint32_t kOldestVersion = 2;

inline Status check_version(std::uint32_t version, const std::string& name) {
  if (version > kFormatVersion)
    return fail(ErrorKind::bad_file, name + " has format version " + std::to_string(version) +
                                         "; this laptime reads up to " +
                                         std::to_string(kFormatVersion) + ": update laptime");
  if (version < kOldestVersion)
    return fail(ErrorKind::bad_file, name + " has format version " + std::to_string(version) +
                                         "; this laptime reads " + std::to_string(kOldestVersion) +
                                         " and later: record the run again");
  return {};
}

}  // namespace laptime
