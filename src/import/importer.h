// A format of another profiler. Each one is a folder below this one and a line in import.cpp's
// list.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/bytes.h"
#include "base/status.h"
#include "format/writer.h"
#include "import/byte_stream.h"

namespace laptime {

struct Importer {
  const char* name;  // for users: "cProfile's .prof"
  // Whether a file begins like this format. `head`: the first kSniffBytes of the decompressed file,
  // or all of a smaller one. At most one importer recognizes a file.
  bool (*sniff)(ByteView head);
  // Adds at least one part. The stream is at its begin. Memory that grows with the file counts in
  // the stream's budget. Error messages begin after the file's name. An importer that can use the
  // beginning of a truncated file adds a warning to its part. All others return in.finish()'s
  // error.
  Status (*import)(ByteStream& in, std::string_view file_name, LapWriter& writer);
};

inline constexpr std::size_t kSniffBytes = 4096;

}  // namespace laptime
