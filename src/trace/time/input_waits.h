// When the stepping thread waits for input: its own loader spans, and those of the process's other
// threads while it is in a dispatch or waits for a result. TensorFlow pulls a batch within the
// compiled function, on any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

struct InputWait {
  std::int64_t start, end;
  std::uint32_t name;  // Run::strings, of the loader's span
};

// By their ends. `track`: the stepping thread's. Those of other threads are clipped to the
// stepping thread's spans; what remains of them is background work.
std::vector<InputWait> find_input_waits(const Run& run, std::uint32_t track);

}  // namespace laptime
