// Writing to a descriptor that others gave us: a closed pipe or a limit on file sizes is an error,
// never a signal.
#pragma once

#include "base/bytes.h"

namespace laptime {

// As write_fully; SIGPIPE and SIGXFSZ of this write are taken away. Async-signal-safe.
int write_quietly(int fd, ByteView data);

}  // namespace laptime
