// The destination of a writer's bytes. Writers take a sink, so tests can check the bytes, and no
// writer depends on files.
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
