// Reads the part of Python's marshal format that saved cProfile runs use: dicts, tuples, lists,
// numbers, texts, None and references, of versions 2 to 5. Code objects and all else are refused.
//
// Contract: a length in the file is trusted only up to the bytes that exist, and nesting has a
// limit. Bytes after the first value are ignored, as in Python.
#pragma once

#include "base/status.h"
#include "import/byte_stream.h"
#include "import/python_values.h"

namespace laptime {

// Error messages begin after the file's name: "is cut short at byte 12".
Result<PythonTree> read_marshal(ByteStream& in);

}  // namespace laptime
