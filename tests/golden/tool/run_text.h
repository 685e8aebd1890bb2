// Runs as text, one statement in each line, for tests that state exactly what is in a file. docs:
// tests/golden/README.md
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/status.h"

namespace laptime {

// The bytes of the sealed file that `text` describes, written by the format's own writer. An error
// names the line.
Result<Bytes> make_run(const std::string& text);

}  // namespace laptime
