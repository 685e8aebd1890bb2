// What was written, in memory.
#pragma once

#include "base/sink.h"

namespace laptime {

class MemorySink final : public Sink {
 public:
  Status write(ByteView bytes) override {
    data.insert(data.end(), bytes.begin(), bytes.end());
    return {};
  }
  Bytes data;
};

}  // namespace laptime
