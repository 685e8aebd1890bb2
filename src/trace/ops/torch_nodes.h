// Which backward spans are torch's: evaluations of autograd nodes. Others are ops of TensorFlow and
// JAX.
#pragma once

#include <vector>

#include "trace/run/string_table.h"

namespace laptime {

// By string: whether a backward span of this name is torch's. Its name is the engine's, or a
// node's: "ConvolutionBackward0".
std::vector<bool> find_torch_nodes(const StringTable& strings);

}  // namespace laptime
