// Reads a pickle of protocol 2 to 5 that holds data and, as its only class, line_profiler's
// LineStats. A pickle is a program for a small machine; this machine has no instruction that calls
// anything. Whatever names another class or function, or asks for one to be called, is refused by
// its name.
//
// Contract: no length in the file is believed beyond the bytes that are there.
#pragma once

#include "base/status.h"
#include "import/byte_stream.h"
#include "import/python_values.h"

namespace laptime {

// Error messages begin after the file's name: "names os.system, …".
Result<PythonTree> read_pickle(ByteStream& in);

}  // namespace laptime
