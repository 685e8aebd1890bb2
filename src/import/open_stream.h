// Opens an imported file as a stream of its decompressed bytes.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "import/byte_source.h"
#include "import/byte_stream.h"
#include "import/import_budget.h"

namespace laptime {

// Recognizes gzip and zstd by their first bytes. Refuses compressed data inside compressed data. An
// error names the file. Contract: the budget outlives the stream.
Result<ByteStream> open_stream(const std::string& path, ImportBudget& budget);

// The same for any source. Error messages begin after the file's name.
Result<ByteStream> open_stream(std::unique_ptr<ByteSource> source, ImportBudget& budget);

}  // namespace laptime
