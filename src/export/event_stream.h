// A JSON list of trace events.
#pragma once

#include "export/text_stream.h"

namespace laptime {

class EventStream : public TextStream {
 public:
  using TextStream::TextStream;

  void begin_event() {
    flush_if_full();
    buffer() += first_ ? "\n" : ",\n";
    first_ = false;
  }
  // Nanoseconds as microseconds with three decimals.
  void write_time(std::int64_t ns) {
    const std::uint64_t size =
        ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
    write("{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
  }

 private:
  bool first_ = true;
};

}  // namespace laptime
