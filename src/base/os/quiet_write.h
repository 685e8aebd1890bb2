// Writes to a descriptor from outside: a closed pipe or a limit on file sizes is an error, never a
// signal.
#pragma once

#include "base/bytes.h"

namespace laptime {

// Like write_fully. Consumes SIGPIPE and SIGXFSZ that this write raised. Async-signal-safe.
int write_quietly(int fd, ByteView data);

}  // namespace laptime
