// The products of a convolution's backward pass, from the shapes that records hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace laptime {

// FLOPs of one of them, of the gradient of the input or that of the weight: both multiply as often
// as the forward pass does. `shapes`: those of aten::convolution_backward: "[[64, 32, 26, 26], [64,
// 1, 28, 28], [32, 1, 3, 3], …". Nothing where they do not say whether the convolution is a
// transposed one.
std::optional<std::uint64_t> convolution_backward_flops(std::string_view shapes);

}  // namespace laptime
