// What a run lost, by name: for unit tests.
#pragma once

#include <cstdint>
#include <string_view>

#include "format/reader.h"

namespace laptime {

inline std::uint64_t loss_of(const RunContent& run, std::string_view name) {
  for (const LossCount& loss : run.losses)
    if (loss.name == name) return loss.count;
  return 0;
}

}  // namespace laptime
