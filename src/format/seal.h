// Sealing: a folder of parts becomes one NAME.lap. Blocks are taken over as they are; neighbours too small to compress
// well are merged.
#pragma once

#include <string>

#include "base/sink.h"
#include "base/status.h"
#include "format/reader.h"

namespace laptime {

Status seal(const RunContent& run, Sink& sink);

// Seals `folder` into `path` and removes the folder. When that fails the folder stays: nothing recorded is lost.
Status seal_folder(const std::string& folder, const std::string& path);

}  // namespace laptime
