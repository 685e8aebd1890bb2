// Writes text to a sink, a megabyte at a time. The sink's first error is kept, and later text is
// dropped.
#pragma once

#include <fmt/format.h>
#include <iterator>
#include <string>

#include "base/sink.h"

namespace laptime {

class TextStream {
 public:
  explicit TextStream(Sink& sink) : sink_(sink) {}

  template <typename... Args>
  void write(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
  }
  // For text that is made in place. flush_if_full empties it at times.
  std::string& buffer() { return buffer_; }
  // Called between two pieces.
  void flush_if_full() {
    if (buffer_.size() > kFlushAt) flush();
  }
  Status finish() {
    flush();
    return status_;
  }

 private:
  static constexpr std::size_t kFlushAt = 1u << 20;

  void flush() {
    if (status_)
      status_ =
          sink_.write({reinterpret_cast<const std::uint8_t*>(buffer_.data()), buffer_.size()});
    buffer_.clear();
  }

  Sink& sink_;
  std::string buffer_;
  Status status_{};
};

}  // namespace laptime
