// What a kind of span is called in exports and in the text of golden runs.
#pragma once

#include <optional>
#include <string_view>

#include "format/record.h"

namespace laptime {

// "other" for a later version's kind.
const char* kind_name(SpanKind kind);
std::optional<SpanKind> kind_from_name(std::string_view name);

}  // namespace laptime
