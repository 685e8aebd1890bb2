#include "analyze/kernel_names.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cxxabi.h>

namespace laptime {

namespace {

std::string demangled(std::string_view name) {
  const std::string text(name);
  if (!name.starts_with("_Z")) return text;
  int status = 0;
  char* const plain = abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && plain ? plain : text;
  std::free(plain);
  return result;
}

// The text without what stands in < >, ( ) and [ ], and cut at the argument list. "(anonymous namespace)::" is taken out first.
std::string without_brackets(std::string text) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (std::size_t at; (at = text.find(kAnonymous)) != std::string::npos;) text.erase(at, kAnonymous.size());
  std::string plain;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<' || c == '[' || c == '{') ++depth;
    if (c == '(' && depth == 0) break;
    if (depth == 0) plain += c;
    if ((c == '>' && (i == 0 || text[i - 1] != '-')) || c == ']' || c == '}') depth = std::max(0, depth - 1);
  }
  if (const std::size_t space = plain.rfind(' '); space != std::string::npos) plain.erase(0, space + 1);
  return plain;
}

// What an elementwise kernel does: "CUDAFunctor_add" in "…<4, at::native::CUDAFunctor_add<float>, …>".
std::string functor_in(const std::string& text) {
  constexpr std::string_view kMarks[] = {"Functor", "_kernel_cuda", "Ops<", "ops::"};
  for (const std::string_view mark : kMarks) {
    const std::size_t at = text.find(mark);
    if (at == std::string::npos) continue;
    const auto part_of_name = [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    std::size_t first = at, last = at;
    while (first > 0 && part_of_name(text[first - 1])) --first;
    while (last < text.size() && part_of_name(text[last])) ++last;
    if (last > first) return text.substr(first, last - first);
  }
  return "";
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

}  // namespace

std::string short_kernel_name(std::string_view name) {
  const std::string whole = demangled(name);
  std::string plain = without_brackets(whole);
  if (plain.empty()) return whole;
  if (contains_any(plain, {"elementwise_kernel", "reduce_kernel", "multi_tensor_apply_kernel"}))
    if (const std::string functor = functor_in(whole); !functor.empty()) plain += '<' + functor + '>';
  return plain;
}

bool uses_tensor_cores(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (contains_any(lower, {"simt", "sgemm_", "dgemm_"}) && !contains_any(lower, {"tf32", "tensorop"})) return false;
  return contains_any(lower, {"nvjet", "wgmma", "hmma", "imma", "dmma", "qmma", "hgmma", "igmma", "qgmma", "xmma_gemm", "xmma_fprop", "xmma_dgrad", "xmma_wgrad",
                              "tensorop", "s1688", "s16816", "s884", "i8816", "i16832", "h884", "h1688", "h16816", "tf32f32", "tf32_", "bf16bf16", "flash_fwd",
                              "flash_bwd", "fmha", "sm90_xmma", "sm80_xmma", "cudnn_generated_fort_native_sdpa"});
}

bool is_communication_kernel(std::string_view name) { return contains_any(name, {"ncclDevKernel", "ncclKernel"}); }

}  // namespace laptime
