// Where the bytes of an imported file come from: a file, a pipe, memory, or a decompressor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/status.h"

namespace laptime {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills the beginning of `out`, which is not empty; returns how much. 0: the end. Error messages
  // begin after the file's name.
  virtual Result<std::size_t> read(std::span<std::uint8_t> out) = 0;
  // The format of compressed data that ended too early, at the end. Else nullptr.
  virtual const char* truncated_format() const { return nullptr; }
};

struct OpenedFile {
  std::unique_ptr<ByteSource> source;
  bool is_regular;
};
// A regular file, a FIFO or a character device, such as /dev/stdin. Opening a FIFO waits for its
// writer.
Result<OpenedFile> open_byte_source(const std::string& path);

}  // namespace laptime
