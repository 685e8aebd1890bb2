// gzip and zstd, each as a source of the decompressed bytes.
#pragma once

#include <cstddef>
#include <memory>

#include "base/bytes.h"
#include "base/status.h"
#include "import/byte_source.h"

namespace laptime {

class ByteStream;

struct Compression {
  const char* name;
  bool (*recognizes)(ByteView head);
  Result<std::unique_ptr<ByteSource>> (*decompress)(ByteStream stored);
};

// The number of bytes that compression_of needs.
inline constexpr std::size_t kCompressionMagic = 4;
// The compression of a file with these first bytes. nullptr: none.
const Compression* compression_of(ByteView head);

}  // namespace laptime
