// The meaning of an NVTX range besides its name.
#pragma once

#include <cstdint>

namespace laptime::nvtx {

enum class Role : std::uint8_t { other, xla_module, xla_instruction };

}  // namespace laptime::nvtx
