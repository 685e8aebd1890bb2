// Sealing: turns a folder of parts into one NAME.lap. Blocks are copied unchanged, except that
// adjacent small ones are merged, because they do not compress well.
#pragma once

#include <string>
#include <vector>

#include "base/os/file_sink.h"
#include "base/status.h"
#include "format/part_folder.h"
#include "format/reader.h"

namespace laptime {

Status seal(const RunContent& run, Sink& sink);

// How sealing treats the part of a process that still writes to it. Its records so far are sealed
// in any case.
enum class LiveParts {
  keep,           // it continues, and its part stays in the folder
  end_offspring,  // if it descends from the calling process, it stops and its part is removed
};

// Seals the parts in `folder`, and `outside` as one more part, into `path`. Removes the parts that
// were read, and the folder if it is empty then. If it fails, all parts stay. Returns the parts
// that stay in the folder. `joined`: processes that may still make their part. While there are any,
// the folder stays, and each is returned as a part without a name.
Result<std::vector<FoundPart>> seal_folder(const PartFolder& folder, const std::string& path,
                                           PartContent outside, LiveParts live,
                                           mode_t mode = FileSink::kPrivate,
                                           const std::vector<std::uint32_t>& joined = {});

// The message to the user about them.
std::string left_line(const std::vector<FoundPart>& left, const std::string& folder);

}  // namespace laptime
