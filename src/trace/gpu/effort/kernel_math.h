// What a kernel computes with, from what its maker calls it. Kernels of cuBLAS, cuDNN and CUTLASS
// say in their names which instruction multiplies; PyTorch's own, torch.compile's pointwise ones
// and NCCL's never use tensor cores; of others nothing is known.
#pragma once

#include <optional>
#include <string_view>

namespace laptime {

// What the products are made of: bf16 counts as fp16, both 8-bit floats as fp8; tf32 is fp32
// rounded on its way into a tensor core, where fp64 has a peak of its own.
enum class Precision { fp64, fp64_tensor, fp32, tf32, fp16, fp8 };

struct KernelMath {
  std::optional<bool> tensor_cores;
  std::optional<Precision> precision;  // of products; unknown for kernels that make none
};
KernelMath math_of_kernel(std::string_view name);

// Of an op or a node of autograd: whether it convolves.
bool is_convolution(std::string_view op);

}  // namespace laptime
