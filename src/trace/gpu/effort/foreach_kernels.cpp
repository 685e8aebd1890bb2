#include "trace/gpu/effort/foreach_kernels.h"

#include <charconv>
#include <string>
#include <vector>

#include "trace/gpu/effort/element_types.h"
#include "trace/gpu/kernel_names.h"

namespace laptime {

namespace {

struct Functor {
  std::string_view name;
  std::vector<std::string_view> arguments;  // of its template
};

// The first "TernaryOpScalarFunctor<float, 2, 2, 0>" in the text. Arguments that are templates
// themselves end it.
Functor functor_in(std::string_view text) {
  constexpr std::string_view kMark = "Functor<";
  const std::size_t open = text.find(kMark);
  if (open == std::string_view::npos) return {};
  const std::size_t name = text.find_last_of(":< ", open) + 1, first = open + kMark.size();
  Functor functor{text.substr(name, open + kMark.size() - 1 - name), {}};
  for (std::size_t at = first; at < text.size();) {
    const std::size_t end = text.find_first_of(",<>", at);
    if (end == std::string_view::npos || text[end] == '<') break;
    functor.arguments.push_back(text.substr(at, end - at));
    if (text[end] == '>') break;
    at = text.find_first_not_of(' ', end + 1);
  }
  return functor;
}

std::optional<std::uint64_t> number_at(const Functor& functor, std::size_t index) {
  std::uint64_t number = 0;
  if (index >= functor.arguments.size()) return std::nullopt;
  const std::string_view text = functor.arguments[index];
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number < 16
             ? std::optional(number)
             : std::nullopt;
}

// The template's arguments are the type, the number of lists, how many are read, and which one is
// written.
bool is_elementwise(std::string_view functor) {
  return functor.starts_with("UnaryOp") || functor.starts_with("BinaryOp") ||
         functor.starts_with("PointwiseOp") || functor.starts_with("TernaryOp");
}
// The template's arguments are the type and the number of lists: parameters, gradients, states. All
// are read. All but the gradients are written.
bool is_optimizer(std::string_view functor) {
  return functor.starts_with("FusedAdam") || functor.starts_with("FusedSgd");
}

}  // namespace

std::optional<std::uint64_t> foreach_bytes_per_element(std::string_view kernel) {
  if (kernel.find("multi_tensor_apply_kernel") == std::string_view::npos) return std::nullopt;
  const std::string whole = demangled_kernel_name(kernel);
  const Functor functor = functor_in(whole);
  if (functor.arguments.empty()) return std::nullopt;
  const ElementType* const type = find_element_type(functor.arguments[0]);
  const auto lists = number_at(functor, 1), read = number_at(functor, 2);
  if (!type) return std::nullopt;
  if (is_optimizer(functor.name) && lists && *lists > 0) return type->bytes * (2 * *lists - 1);
  if (is_elementwise(functor.name) && read) return type->bytes * (*read + 1);
  return std::nullopt;
}

}  // namespace laptime
