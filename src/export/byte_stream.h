// Writes binary numbers and texts to a sink through a buffer. The sink's first error is kept.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "base/sink.h"

namespace laptime {

class SinkWriter {
 public:
  explicit SinkWriter(Sink& sink) : sink_(sink) {}

  void u8(int byte) { little_endian(static_cast<std::uint8_t>(byte)); }
  template <typename Number>
  void little_endian(Number number) {
    append({reinterpret_cast<const char*>(&number), sizeof number});
  }
  void append(std::string_view text) {
    buffer_.insert(buffer_.end(), text.begin(), text.end());
    if (buffer_.size() > kFlushAt) flush();
  }
  Status finish() {
    flush();
    return status_;
  }

 private:
  static constexpr std::size_t kFlushAt = 1u << 20;

  void flush() {
    if (status_) status_ = sink_.write(buffer_);
    buffer_.clear();
  }

  Sink& sink_;
  Bytes buffer_;
  Status status_{};
};

}  // namespace laptime
