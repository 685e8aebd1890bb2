// Writes a JSON list of trace events to a sink, a megabyte at a time. The first failure of the sink stays; what is
// written after it goes nowhere.
#pragma once

#include <fmt/format.h>
#include <iterator>
#include <string>

#include "format/sink.h"

namespace laptime {

class EventStream {
 public:
  explicit EventStream(Sink& sink) : sink_(sink) {}

  template <typename... Args>
  void write(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
  }
  std::string& buffer() { return buffer_; }

  void begin_event() {
    if (buffer_.size() > kFlushAt) flush();
    buffer_ += first_ ? "\n" : ",\n";
    first_ = false;
  }
  // Nanoseconds as microseconds with three decimals.
  void write_time(std::int64_t ns) {
    const std::uint64_t size = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
    write("{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
  }
  Status finish() {
    flush();
    return status_;
  }

 private:
  static constexpr std::size_t kFlushAt = 1u << 20;

  void flush() {
    if (status_) status_ = sink_.write({reinterpret_cast<const std::uint8_t*>(buffer_.data()), buffer_.size()});
    buffer_.clear();
  }

  Sink& sink_;
  std::string buffer_;
  bool first_ = true;
  Status status_{};
};

}  // namespace laptime
