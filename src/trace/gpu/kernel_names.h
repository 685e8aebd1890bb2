// Short names of kernels and what they show. Names of communication on GPUs and on the host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/run/string_table.h"

namespace laptime {

// Returns "at::native::vectorized_elementwise_kernel" for the mangled or demangled name: no return
// type, arguments or template arguments. Two parts of templates stay: the functor of PyTorch's
// elementwise and reducing kernels, and the purpose of a CUTLASS kernel.
std::string short_kernel_name(std::string_view name);

// The complete C++ name. Returns `name` itself if it is not mangled or cannot be demangled.
std::string demangled_kernel_name(std::string_view name);

// Whether NCCL made the kernel.
bool is_communication_kernel(std::string_view name);
// Whether a host span is a collective: of torch.distributed the backend's own span or the call that
// starts it, of XLA and TensorFlow the op.
bool is_collective(std::string_view name);
// By string: whether it names a collective.
std::vector<bool> collectives(const StringTable& strings);

}  // namespace laptime
