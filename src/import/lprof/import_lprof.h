// line_profiler's results (.lprof): a pickle of a LineStats object with {timings: {(file, first
// line, name): [(line, hits, ticks)]}, unit: seconds a tick}. The same dict without the object, and
// a plain (timings, unit), are also accepted.
//
// line_profiler has inclusive times only. The part records this in property "line_self_time" =
// "unknown".
#pragma once

#include <string_view>

#include "base/bytes.h"
#include "base/status.h"
#include "format/writer.h"
#include "import/byte_stream.h"

namespace laptime {

bool looks_like_lprof(ByteView head);

// Adds one part. Error messages begin after the file's name.
Status import_lprof(ByteStream& in, std::string_view file_name, LapWriter& writer);

}  // namespace laptime
