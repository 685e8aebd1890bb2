// Turns files of other profilers into a run. Their first bytes decide what they are, not their
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

// One part a file, in the order given; each file has the budget for itself. Files may be compressed
// with gzip or zstd, and may be FIFOs. An error names the file it is about.
Status import_files(const std::vector<std::string>& paths, Sink& out,
                    const ImportBudget& budget = ImportBudget());

// The same of one open stream. Error messages begin after the file's name.
Status import_stream(ByteStream& in, std::string_view file_name, LapWriter& writer);

}  // namespace laptime
