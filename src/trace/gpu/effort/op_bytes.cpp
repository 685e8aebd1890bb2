#include "trace/gpu/effort/op_bytes.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "trace/gpu/effort/element_types.h"

namespace laptime {

namespace {

constexpr std::string_view kElementwise[] = {"aten::add",           "aten::add_",
                                             "aten::sub",           "aten::sub_",
                                             "aten::mul",           "aten::mul_",
                                             "aten::div",           "aten::div_",
                                             "aten::neg",           "aten::exp",
                                             "aten::sqrt",          "aten::rsqrt",
                                             "aten::relu",          "aten::relu_",
                                             "aten::clamp_min",     "aten::clamp_min_",
                                             "aten::clamp",         "aten::threshold_backward",
                                             "aten::gelu",          "aten::gelu_backward",
                                             "aten::silu",          "aten::silu_",
                                             "aten::silu_backward", "aten::sigmoid",
                                             "aten::sigmoid_",      "aten::sigmoid_backward",
                                             "aten::tanh",          "aten::tanh_",
                                             "aten::tanh_backward", "aten::addcmul",
                                             "aten::addcdiv"};
constexpr std::string_view kFills[] = {"aten::fill_", "aten::zero_"};
constexpr std::string_view kReadOnce[] = {"aten::copy_", "aten::sum",
                                          "aten::mean"};  // copy_ has its output among its inputs

template <std::size_t n>
bool is_one_of(std::string_view name, const std::string_view (&names)[n]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_no_tensor(std::string_view type) {
  return type.empty() || type == "Scalar" || type == "ScalarList";
}

// The texts in quotes.
std::vector<std::string_view> split_types(std::string_view text) {
  std::vector<std::string_view> types;
  for (std::size_t open = text.find('"'); open != std::string_view::npos;) {
    const std::size_t close = text.find('"', open + 1);
    if (close == std::string_view::npos) break;
    types.push_back(text.substr(open + 1, close - open - 1));
    open = text.find('"', close + 1);
  }
  return types;
}

std::optional<std::uint64_t> count_elements(std::string_view text) {
  const auto sizes = parse_sizes(text);
  std::uint64_t elements = 1;
  if (!sizes) return std::nullopt;
  for (const std::uint64_t size : *sizes)
    if (__builtin_mul_overflow(elements, size, &elements)) return std::nullopt;
  return elements;
}

struct Tensor {
  std::uint64_t elements;
  Operand operand;

  std::uint64_t bytes() const { return elements * operand.type->bytes; }
};

// The tensors among an op's inputs, from recorded texts: "[[64, 10], []]" and "["float",
// "Scalar"]". Returns nothing for a list of tensors, an unknown type, or texts that do not match.
std::optional<std::vector<Tensor>> parse_tensors(std::string_view shapes_text,
                                                 std::string_view types_text) {
  const auto shapes = split_shapes(shapes_text);
  const std::vector<std::string_view> types = split_types(types_text);
  if (!shapes || shapes->size() != types.size()) return std::nullopt;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string_view shape = (*shapes)[i];
    if (is_no_tensor(types[i]) && shape.empty()) continue;
    const ElementType* const type = find_element_type(types[i]);
    const auto elements = count_elements(shape);
    if (!type || !elements) return std::nullopt;
    tensors.push_back({*elements, {type, !shape.empty()}});
  }
  return tensors;
}

std::uint64_t sum_bytes(const std::vector<Tensor>& tensors) {
  std::uint64_t sum = 0;
  for (const Tensor& tensor : tensors) sum += tensor.bytes();
  return sum;
}

// The output has as many elements as the largest input. An in-place op writes its first input.
std::uint64_t output_bytes(std::string_view op, const std::vector<Tensor>& tensors) {
  if (op.ends_with('_')) return tensors.front().bytes();
  std::uint64_t elements = 0;
  std::vector<Operand> operands;
  for (const Tensor& tensor : tensors) {
    elements = std::max(elements, tensor.elements);
    operands.push_back(tensor.operand);
  }
  return elements * promoted_type(operands).bytes;
}

}  // namespace

std::optional<std::vector<std::string_view>> split_shapes(std::string_view text) {
  std::vector<std::string_view> shapes;
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  for (std::size_t open = text.find('['); open != std::string_view::npos;
       open = text.find('[', open + 1)) {
    const std::size_t close = text.find_first_of("[]", open + 1);
    if (close == std::string_view::npos || text[close] == '[') return std::nullopt;
    shapes.push_back(text.substr(open + 1, close - open - 1));
    open = close;
  }
  return shapes;
}

std::optional<std::vector<std::uint64_t>> parse_sizes(std::string_view text) {
  std::vector<std::uint64_t> sizes;
  for (const char *at = text.data(), *end = at + text.size(); at != end;) {
    const auto [after, error] = std::from_chars(at, end, sizes.emplace_back());
    if (error != std::errc()) return std::nullopt;
    at = std::find_if(after, end, [](char c) { return c != ',' && c != ' '; });
  }
  return sizes;
}

std::optional<std::uint64_t> first_list_elements(std::string_view shapes, std::string_view types) {
  if (!types.starts_with("[\"TensorList\"") || !shapes.starts_with("[[[")) return std::nullopt;
  const std::size_t end = shapes.find("]]");
  const auto tensors =
      split_shapes(shapes.substr(1, end == std::string_view::npos ? end : end + 1));
  std::uint64_t sum = 0;
  if (!tensors) return std::nullopt;
  for (const std::string_view sizes : *tensors) {
    const auto elements = count_elements(sizes);
    if (!elements || __builtin_add_overflow(sum, *elements, &sum)) return std::nullopt;
  }
  return sum;
}

std::optional<std::uint64_t> bytes_moved(std::string_view op, std::string_view shapes,
                                         std::string_view types) {
  const bool elementwise = is_one_of(op, kElementwise), fills = is_one_of(op, kFills);
  if (!elementwise && !fills && !is_one_of(op, kReadOnce)) return std::nullopt;
  const auto tensors = parse_tensors(shapes, types);
  if (!tensors || tensors->empty()) return std::nullopt;
  if (fills) return tensors->front().bytes();
  return sum_bytes(*tensors) + (elementwise ? output_bytes(op, *tensors) : 0);
}

}  // namespace laptime
