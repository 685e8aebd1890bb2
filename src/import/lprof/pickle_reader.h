// Reads a pickle of protocol 2 to 5 that contains data and, as its only class, line_profiler's
// LineStats.
//
// A pickle is a program for a small machine. This machine has no instruction that calls anything. A
// pickle that names another class or function, or requests a call, is refused; the error has the
// name.
//
// Contract: a length in the file is trusted only up to the bytes that exist.
#pragma once

#include "base/status.h"
#include "import/byte_stream.h"
#include "import/python_values.h"

namespace laptime {

// Error messages begin after the file's name: "names os.system, …".
Result<PythonTree> read_pickle(ByteStream& in);

}  // namespace laptime
