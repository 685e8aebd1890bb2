// The precision of a kernel's arithmetic, from its name. Names of cuBLAS, cuDNN and CUTLASS kernels
// contain the instruction that multiplies. PyTorch's own kernels, torch.compile's pointwise ones
// and NCCL's never use tensor cores. For other kernels the precision is unknown.
#pragma once

#include <optional>
#include <string_view>

namespace laptime {

// The type of the factors. bf16 counts as fp16, both 8-bit floats count as fp8. tf32 is fp32
// rounded on its way into a tensor core. fp64 has its own peak there.
enum class Precision { fp64, fp64_tensor, fp32, tf32, fp16, fp8 };

struct KernelMath {
  std::optional<bool> tensor_cores;
  std::optional<Precision> precision;  // of products; unknown for kernels without any
};
KernelMath math_of_kernel(std::string_view name);

// `op`: an op or an autograd node.
bool is_convolution(std::string_view op);

}  // namespace laptime
