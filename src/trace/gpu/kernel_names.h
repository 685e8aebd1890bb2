// A kernel's name as people say it, and what it tells; the names of what communicates, on a GPU and
// on the host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/run/string_table.h"

namespace laptime {

// "at::native::vectorized_elementwise_kernel" for the mangled or demangled whole: without return
// type, arguments and the insides of templates, but for what tells an elementwise or reducing
// kernel of PyTorch's from another: its functor, and for what a kernel of CUTLASS is made for.
std::string short_kernel_name(std::string_view name);

// The whole of it, as C++ writes it; as it is where it is not mangled, or the library cannot take
// it apart.
std::string demangled_kernel_name(std::string_view name);

// Whether the kernel is one of NCCL's.
bool is_communication_kernel(std::string_view name);
// Whether a span of the host is a collective of torch.distributed's: what a backend announces, or
// the call that starts it.
bool is_collective(std::string_view name);
// By string: whether it is the name of one.
std::vector<bool> collectives(const StringTable& strings);

}  // namespace laptime
