// Bytes moved by PyTorch's kernels over lists of tensors (_foreach_add_, _fused_adam_ …), from the
// name of their functor.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace laptime {

// Bytes for each element of the op's first list. Every list that the kernel reads or writes counts
// once. Returns nothing for other kernels.
std::optional<std::uint64_t> foreach_bytes_per_element(std::string_view kernel);

}  // namespace laptime
