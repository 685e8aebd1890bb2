// Reads Python's marshal format, as far as a saved cProfile run uses it: dicts, tuples, lists,
// numbers, texts, None and references, of versions 2 to 5. Code objects and all else are refused.
//
// Contract: no length in the file is believed beyond the bytes that are there, and nesting has a
// limit. Bytes after the first value are not looked at, as Python does it.
#pragma once

#include "base/status.h"
#include "import/byte_stream.h"
#include "import/python_values.h"

namespace laptime {

// Error messages begin after the file's name: "is cut short at byte 12".
Result<PythonTree> read_marshal(ByteStream& in);

}  // namespace laptime
