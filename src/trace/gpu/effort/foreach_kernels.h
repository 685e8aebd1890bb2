// What PyTorch's kernels over lists of tensors (_foreach_add_, _fused_adam_ …) move, as their
// functor's name tells it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace laptime {

// Bytes for each element of the op's first list: every list that the kernel reads once, and those
// it writes. Nothing for other kernels.
std::optional<std::uint64_t> foreach_bytes_per_element(std::string_view kernel);

}  // namespace laptime
