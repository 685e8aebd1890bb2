// The profile of one host by TensorFlow, Keras or JAX: an XSpace, <host>.xplane.pb.
#pragma once

#include <string_view>

#include "base/bytes.h"
#include "base/status.h"
#include "format/writer.h"
#include "import/byte_stream.h"

namespace laptime {

bool looks_like_xplane(ByteView head);

// Adds one part. Of a truncated file it has the planes that are whole. Error messages begin after
// the file's name.
Status import_xplane(ByteStream& in, std::string_view file_name, LapWriter& writer);

}  // namespace laptime
