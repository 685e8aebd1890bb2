// Where a writer's bytes go. Writers take a sink, so that tests can look at the bytes and no writer
// knows of files.
#pragma once

#include "base/bytes.h"
#include "base/status.h"

namespace laptime {

class Sink {
 public:
  virtual ~Sink() = default;
  virtual Status write(ByteView bytes) = 0;
};

}  // namespace laptime
