// A saved cProfile or profile run (.prof): marshal of {(file, line, name): (cc, nc, tt, ct,
// callers)}, where callers is {(file, line, name): (nc, cc, tt, ct)} – the counts in the other
// order – or, from the pure-Python profile module, {(file, line, name): nc}. cc: primitive calls,
// nc: all calls, tt: own seconds, ct: cumulative seconds.
#pragma once

#include <string_view>

#include "base/bytes.h"
#include "base/status.h"
#include "format/writer.h"
#include "import/byte_stream.h"

namespace laptime {

bool looks_like_pstats(ByteView head);

// Adds one part. Error messages begin after the file's name.
Status import_pstats(ByteStream& in, std::string_view file_name, LapWriter& writer);

}  // namespace laptime
