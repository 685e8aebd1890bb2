#include "trace/gpu/kernel_names.h"

#include <cxxabi.h>
#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "base/contains_any.h"

namespace laptime {

namespace {

// Removes the contents of < >, ( ) and [ ], and cuts at the argument list. "(anonymous
// namespace)::" is removed first.
std::string without_brackets(std::string text) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (std::size_t at; (at = text.find(kAnonymous)) != std::string::npos;)
    text.erase(at, kAnonymous.size());
  std::string plain;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<' || c == '[' || c == '{') ++depth;
    if (c == '(' && depth == 0) break;
    if (depth == 0) plain += c;
    if ((c == '>' && (i == 0 || text[i - 1] != '-')) || c == ']' || c == '}')
      depth = std::max(0, depth - 1);
  }
  if (const std::size_t space = plain.rfind(' '); space != std::string::npos)
    plain.erase(0, space + 1);
  return plain;
}

bool is_part_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The identifier around a position in the text.
std::string name_at(const std::string& text, std::size_t at) {
  std::size_t first = at, last = at;
  while (first > 0 && is_part_of_name(text[first - 1])) --first;
  while (last < text.size() && is_part_of_name(text[last])) ++last;
  return text.substr(first, last - first);
}

// The operation of an elementwise kernel: "CUDAFunctor_add" in "…<4,
// at::native::CUDAFunctor_add<float>, …>".
std::string functor_in(const std::string& text) {
  constexpr std::string_view kMarks[] = {"Functor", "_functor", "_kernel_cuda", "Ops<", "ops::"};
  for (const std::string_view mark : kMarks)
    if (const std::size_t at = text.find(mark); at != std::string::npos)
      if (const std::string name = name_at(text, at); !name.empty()) return name;
  return "";
}

// The function whose lambda an elementwise kernel runs: "launch_clamp_scalar" in "…<4,
// launch_clamp_scalar(…)::{lambda…}, …>".
std::string function_in(const std::string& text) {
  for (std::size_t at = text.find('(', text.find('<')); at != std::string::npos;
       at = text.find('(', at + 1)) {
    const std::string name = at > 0 ? name_at(text, at - 1) : "";
    if (!name.empty() && is_part_of_name(text[at - 1]) && name != "operator") return name;
  }
  return "";
}

// The purpose of CUTLASS's one kernel: "ReduceSplitK" in
// "cutlass::Kernel<cutlass::reduction::kernel::ReduceSplitK<…>>". Some users wrap it, to compile it
// for certain chips only: "FlashAttnFwdSm90" in
// "cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<…>>>".
std::string made_for(const std::string& text) {
  std::string name;
  for (std::size_t first = text.find('<') + 1; first != 0;) {
    std::size_t last = first;
    while (last < text.size() && (is_part_of_name(text[last]) || text[last] == ':')) ++last;
    if (last == first) break;
    name = name_at(text, last - 1);
    const bool wraps = name.starts_with("enable_") && last < text.size() && text[last] == '<';
    first = wraps ? last + 1 : 0;
  }
  return name;
}

bool is_of_cutlass(std::string_view plain) {
  return plain.starts_with("cutlass") &&
         (plain.ends_with("::Kernel") || plain.ends_with("::Kernel2") ||
          plain.ends_with("::device_kernel"));
}

// The number of characters before a template's first argument: "IN", "INS_", "INS1_".
std::size_t argument_begin(std::string_view mangled) {
  if (!mangled.starts_with("IN")) return 0;
  if (!mangled.starts_with("INS")) return 2;
  const std::size_t end = mangled.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", 3);
  return end != std::string_view::npos && mangled[end] == '_' ? end + 1 : 0;
}

// The identifiers at the beginning of a mangled name, for names that the library cannot demangle:
// "_ZN7cutlass6KernelINS_4conv6kernel4GemmI…" is cutlass::Kernel<conv::kernel::Gemm. Any other
// character ends it.
std::string outline(std::string_view mangled) {
  std::string text;
  for (std::size_t at = mangled.starts_with("_ZN") ? 3 : mangled.size(); at < mangled.size();) {
    std::size_t length = 0, digits = 0;
    for (; at + digits < mangled.size() && digits < 4 &&
           std::isdigit(static_cast<unsigned char>(mangled[at + digits]));
         ++digits)
      length = length * 10 + static_cast<std::size_t>(mangled[at + digits] - '0');
    if (length > 0 && at + digits + length <= mangled.size()) {
      if (!text.empty() && text.back() != '<') text += "::";
      text += mangled.substr(at + digits, length);
      at += digits + length;
    } else if (const std::size_t begin = argument_begin(mangled.substr(at))) {
      text += '<';
      at += begin;
    } else {
      break;
    }
  }
  return text;
}

}  // namespace

std::string demangled_kernel_name(std::string_view name) {
  const std::string text(name);
  if (!name.starts_with("_Z")) return text;
  int status = 0;
  char* const plain = abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && plain ? plain : text;
  std::free(plain);
  return result;
}

std::string short_kernel_name(std::string_view name) {
  std::string whole = demangled_kernel_name(name);
  if (whole.starts_with("_ZN"))
    if (std::string known = outline(whole); !known.empty()) whole = std::move(known);
  std::string plain = without_brackets(whole);
  if (plain.empty()) return whole;
  std::string what;
  if (contains_any(plain, {"elementwise_kernel", "reduce_kernel", "multi_tensor_apply_kernel"}))
    what = functor_in(whole).empty() ? function_in(whole) : functor_in(whole);
  if (is_of_cutlass(plain)) what = made_for(whole);
  if (!what.empty()) plain += '<' + what + '>';
  return plain;
}

bool is_communication_kernel(std::string_view name) {
  return contains_any(name, {"ncclDevKernel", "ncclKernel"});
}

bool is_collective(std::string_view name) {
  for (const std::string_view backend : {"gloo:", "nccl:", "mpi:", "ucc:", "c10d::"})
    if (name.starts_with(backend)) return true;
  // XLA's instructions and TensorFlow's types.
  for (const std::string_view op : {"all-reduce", "all-gather", "all-to-all", "reduce-scatter",
                                    "collective-permute", "CollectiveReduce", "CollectiveGather"})
    if (name.starts_with(op)) return true;
  return false;
}

std::vector<bool> collectives(const StringTable& strings) {
  std::vector<bool> flags(strings.size());
  for (std::uint32_t id = 0; id < strings.size(); ++id) flags[id] = is_collective(strings[id]);
  return flags;
}

}  // namespace laptime
