// The top level of an xplane file: its planes, one at a time.
//
// A regular file is mapped: its pages are the system's cache, so a plane may be larger than memory.
// A pipe or a compressed file gives its bytes once, so a plane is buffered, and counted in the
// budget.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/os/file.h"
#include "base/status.h"
#include "import/byte_stream.h"

namespace laptime {

class PlaneStream {
 public:
  struct Field {
    std::uint32_t number;  // xplane::Space
    ByteView bytes;        // valid until the next call
  };
  // Contract: nothing was taken of the stream yet, and it outlives this.
  static Result<PlaneStream> open(ByteStream& in);
  PlaneStream(PlaneStream&& other) noexcept;
  ~PlaneStream();

  // The next field that has a length; others are skipped. Nothing at the end, or where the file is
  // damaged.
  Result<std::optional<Field>> next();
  // The file ends within a field, which was left out.
  bool is_truncated() const { return truncated_; }
  // What follows the fields so far is no protobuf message.
  bool is_damaged() const { return damaged_; }

 private:
  explicit PlaneStream(ByteStream& in) : in_(&in) {}
  // The next number of the top level. Nothing at the end of the file.
  std::optional<std::uint64_t> varint();
  std::optional<std::uint8_t> byte();
  bool skip(std::uint64_t bytes);
  Result<std::optional<ByteView>> take(std::uint64_t bytes);

  ByteStream* in_;
  std::optional<MappedFile> file_;
  std::size_t at_ = 0;  // in the file
  Bytes buffer_;
  std::uint64_t counted_ = 0;  // of the buffer, in the budget
  bool truncated_ = false, damaged_ = false;
};

}  // namespace laptime
