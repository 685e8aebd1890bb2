#include "analyze/kernel_names.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cxxabi.h>

#include "base/contains_any.h"

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

bool is_part_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The identifier around a place of the text.
std::string name_at(const std::string& text, std::size_t at) {
  std::size_t first = at, last = at;
  while (first > 0 && is_part_of_name(text[first - 1])) --first;
  while (last < text.size() && is_part_of_name(text[last])) ++last;
  return text.substr(first, last - first);
}

// What an elementwise kernel does: "CUDAFunctor_add" in "…<4, at::native::CUDAFunctor_add<float>, …>".
std::string functor_in(const std::string& text) {
  constexpr std::string_view kMarks[] = {"Functor", "_functor", "_kernel_cuda", "Ops<", "ops::"};
  for (const std::string_view mark : kMarks)
    if (const std::size_t at = text.find(mark); at != std::string::npos)
      if (const std::string name = name_at(text, at); !name.empty()) return name;
  return "";
}

// What CUTLASS's one kernel is made for: "cutlass_80_tensorop_s1688gemm_64x64_32x6_nn_align4" in "cutlass::Kernel2<…>".
std::string first_argument(const std::string& text) {
  const std::size_t open = text.find('<');
  return open == std::string::npos ? "" : name_at(text, open + 1);
}

}  // namespace

std::string short_kernel_name(std::string_view name) {
  const std::string whole = demangled(name);
  std::string plain = without_brackets(whole);
  if (plain.empty()) return whole;
  if (contains_any(plain, {"elementwise_kernel", "reduce_kernel", "multi_tensor_apply_kernel"}))
    if (const std::string functor = functor_in(whole); !functor.empty()) plain += '<' + functor + '>';
  if (plain == "cutlass::Kernel" || plain == "cutlass::Kernel2" || plain == "cutlass::device_kernel")
    if (const std::string made_for = first_argument(whole); !made_for.empty()) plain += '<' + made_for + '>';
  return plain;
}

bool is_communication_kernel(std::string_view name) { return contains_any(name, {"ncclDevKernel", "ncclKernel"}); }

}  // namespace laptime
