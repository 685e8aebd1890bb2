// When the program last called a jitted function or waited for a result: the end of its last step.
#pragma once

#include <cstdint>

namespace laptime::jax {

void note_event(std::uint64_t moment);
std::uint64_t last_event();

}  // namespace laptime::jax
