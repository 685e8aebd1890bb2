// Names of span kinds in exports and in golden runs.
#pragma once

#include <optional>
#include <string_view>

#include "format/record.h"

namespace laptime {

// "other" for a kind of a later version.
const char* kind_name(SpanKind kind);
std::optional<SpanKind> kind_from_name(std::string_view name);

}  // namespace laptime
