// The source of an imported file's bytes: a file, a pipe, memory, or a decompressor.
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
  // Fills the beginning of `out` and returns the number of bytes. 0: the end. Contract: `out` is
  // not empty. Error messages begin after the file's name.
  virtual Result<std::size_t> read(std::span<std::uint8_t> out) = 0;
  // At the end: the format of compressed data that ended too early. Else nullptr.
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
