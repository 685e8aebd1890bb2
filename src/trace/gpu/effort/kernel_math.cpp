#include "trace/gpu/effort/kernel_math.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "base/contains_any.h"

namespace laptime {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Finds "tensor16x8x8", "m16n8k16": the word followed by a number.
bool contains_sized(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if (at + word.size() < text.size() && is_digit(text[at + word.size()])) return true;
  return false;
}

// "ampere_dgemm_128x64", but not "groupedGemm".
bool contains_dgemm(std::string_view text) {
  constexpr std::string_view kWord = "dgemm";
  for (std::size_t at = text.find(kWord); at != std::string_view::npos;
       at = text.find(kWord, at + 1))
    if (at == 0 || !std::isalpha(static_cast<unsigned char>(text[at - 1]))) return true;
  return false;
}

// cuDNN's kernels from before tensor cores are templates whose first argument is the factors' type.
// Returns the text after such a kernel's name; empty for other kernels.
std::string_view after_engine(std::string_view name) {
  for (const std::string_view engine :
       {"wgrad_alg0_engine", "wgrad_alg1_engine", "dgrad_engine", "dgrad2d_alg1_1"})
    if (const std::size_t at = name.find(engine); at != std::string_view::npos)
      return name.substr(at + engine.size());
  return {};
}

// FMA on plain cores: cuBLAS's and cuDNN's "ffma", CUTLASS's "simt", and kernels from before tensor
// cores.
bool multiplies_on_plain_cores(std::string_view name) {
  if (contains_any(name, {"_ffma", "_dfma", "_hfma2"})) return true;
  return (contains_any(name, {"simt", "sgemm", "scudnn"}) || contains_dgemm(name) ||
          !after_engine(name).empty()) &&
         !contains_any(name, {"tf32", "tensorop", "mma"});
}

std::optional<Precision> precision_on_plain_cores(std::string_view name) {
  const std::string_view engine = after_engine(name);
  if (contains_any(name, {"_f32f32_", "sgemm", "scudnn"}) || engine.starts_with("<float") ||
      engine.starts_with("if"))
    return Precision::fp32;
  if (contains_any(name, {"_f64f64_", "_dfma"}) || contains_dgemm(name) ||
      engine.starts_with("<double") || engine.starts_with("id"))
    return Precision::fp64;
  return std::nullopt;
}

// FlashAttention's kernels before and after its products. Their template types and words in their
// names describe the products, not these kernels.
bool is_beside_attention(std::string_view name) {
  return contains_any(name,
                      {"flash_fwd_splitkv_combine", "dot_do_o", "convert_dq", "flashattnfwdcombine",
                       "flashattnbwdpreprocess", "flashattnbwdpostprocess"});
}

bool multiplies_on_tensor_cores(std::string_view name) {
  if (contains_any(name, {"nvjet",
                          "gmma",
                          "tmaumma",
                          "hmma",
                          "imma_",
                          "_imma",
                          "dmma_",
                          "_dmma",
                          "qmma",
                          "tensorop",
                          "s16816",
                          "s1688",
                          "s161616",
                          "s884",
                          "h16816",
                          "h1688",
                          "h161616",
                          "h884",
                          "i8816",
                          "i16832",
                          "flash_fwd_kernel",
                          "flash_fwd_splitkv_kernel",
                          "flash_bwd_dq_dk_dv",
                          "flashattnfwdsm",
                          "flashattnbwdsm",
                          "flash_fprop"}))
    return true;
  if (contains_sized(name, "tensor") || contains_sized(name, "m16n8k") ||
      contains_sized(name, "m64n"))
    return true;
  if (contains_any(name, {"xmma_", "fmha_cutlass"}))
    return contains_any(name, {"f16", "tf32", "e4m3", "e5m2", "i8i8"});
  return false;
}

// Kernels without products, or with none that would use a tensor core.
bool is_plain(std::string_view name) {
  return contains_any(name, {"at::native::",
                             "n2at6native",
                             "multi_tensor_apply",
                             "elementwise_kernel",
                             "triton_poi_",
                             "triton_red_",
                             "triton_per_",
                             "nccldevkernel",
                             "ncclkernel",
                             "splitkreduce_kernel",
                             "reducesplitk",
                             "nchwtonhwc",
                             "nhwctonchw",
                             "bn_fw_",
                             "bn_bw_",
                             "gemv2",
                             "gemvns",
                             "gemmsn_",
                             "gemmk1_",
                             "cub::",
                             "3cub",
                             "softmax_warp_",
                             "winograd_nonfused",
                             "scal_kernel",
                             "epilogue::impl",
                             "8epilogue4impl",
                             "scalepackedtensor",
                             "init_device_workspace"});
}

// nvjet_hsh_…: the first letter is the factors' type. On later chips: nvjet_sm100_hsh_….
std::optional<Precision> precision_of_nvjet(std::string_view name) {
  std::size_t at = name.find("nvjet_") + 6;
  if (name.substr(at).starts_with("sm")) at = std::min(name.find('_', at), name.size() - 1) + 1;
  switch (at < name.size() ? name[at] : ' ') {
    case 'h':
    case 't':
      return Precision::fp16;
    case 's':
      return Precision::tf32;
    case 'q':
    case 'o':
      return Precision::fp8;
    default:
      return std::nullopt;
  }
}

// CUTLASS names the instruction by the types of the sum and of the factors:
// "MMA_64x128x32_F32E4M3E4M3_SS_TN". Other types in the name may be those of the output.
std::optional<Precision> precision_of_gmma(std::string_view name) {
  if (contains_any(name, {"_f32e4m3e", "_f32e5m2e", "_f16e4m3e", "_f16e5m2e"}))
    return Precision::fp8;
  if (contains_any(name, {"_f32tf32tf32_"})) return Precision::tf32;
  if (contains_any(name, {"_f32bf16bf16_", "_f32f16f16_", "_f16f16f16_"})) return Precision::fp16;
  return std::nullopt;
}

std::optional<Precision> precision_on_tensor_cores(std::string_view name) {
  if (contains_any(name, {"nvjet_"})) return precision_of_nvjet(name);
  if (const auto precision = precision_of_gmma(name)) return precision;
  if (contains_any(name, {"_f64f64_", "_dmma", "dmma_"}) || contains_sized(name, "tensorop_d"))
    return Precision::fp64_tensor;
  if (contains_any(name, {"e4m3", "e5m2"})) return Precision::fp8;
  if (contains_any(name, {"tf32", "tfloat32"})) return Precision::tf32;
  if (contains_any(name, {"f16", "fp16", "h16816", "h1688", "h884", "half_t", "bfloat16"}))
    return Precision::fp16;
  if (contains_any(name, {"tensorop_s1688gemm"})) return Precision::tf32;
  return std::nullopt;
}

}  // namespace

KernelMath math_of_kernel(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (multiplies_on_plain_cores(lower)) return {false, precision_on_plain_cores(lower)};
  if (is_beside_attention(lower)) return {false, std::nullopt};
  if (multiplies_on_tensor_cores(lower)) return {true, precision_on_tensor_cores(lower)};
  if (is_plain(lower)) return {false, std::nullopt};
  return {};
}

bool is_convolution(std::string_view op) {
  return op.find("conv") != std::string_view::npos || op.find("Conv") != std::string_view::npos;
}

}  // namespace laptime
