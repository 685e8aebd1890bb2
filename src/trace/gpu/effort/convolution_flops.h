// The FLOPs of a convolution's backward pass, from recorded shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace laptime {

// FLOPs of one product: the input's gradient or the weight's. Each multiplies as often as the
// forward pass does. `shapes`: those of aten::convolution_backward, as "[[64, 32, 26, 26], [64, 1,
// 28, 28], [32, 1, 3, 3], …". Returns nothing if the shapes do not show whether the convolution is
// transposed.
std::optional<std::uint64_t> convolution_backward_flops(std::string_view shapes);

}  // namespace laptime
