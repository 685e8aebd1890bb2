// Bytes in memory, for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

#include "import/byte_source.h"

namespace laptime {

class MemorySource final : public ByteSource {
 public:
  MemorySource(ByteView bytes, std::size_t most) : left_(bytes), most_(most) {}

  Result<std::size_t> read(std::span<std::uint8_t> out) override {
    const std::size_t n = std::min({out.size(), left_.size(), most_});
    if (n > 0) std::memcpy(out.data(), left_.data(), n);
    left_ = left_.subspan(n);
    return n;
  }

 private:
  ByteView left_;
  std::size_t most_;
};

// Returns at most `most` bytes at a time. Contract: the bytes outlive the source.
inline std::unique_ptr<ByteSource> memory_source(ByteView bytes, std::size_t most = SIZE_MAX) {
  return std::make_unique<MemorySource>(bytes, most);
}

}  // namespace laptime
