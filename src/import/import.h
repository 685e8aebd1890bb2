// Imports files of other profilers as a run. Their first bytes determine their format, not their
// names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/sink.h"
#include "base/status.h"
#include "format/writer.h"
#include "import/byte_stream.h"
#include "import/import_budget.h"

namespace laptime {

// One part for each file, in the order given. Each file has its own budget. Files may be compressed
// with gzip or zstd, and may be FIFOs. An error names its file.
Status import_files(const std::vector<std::string>& paths, Sink& out,
                    const ImportBudget& budget = ImportBudget());

// The same for one open stream. Error messages begin after the file's name.
Status import_stream(ByteStream& in, std::string_view file_name, LapWriter& writer);

}  // namespace laptime
