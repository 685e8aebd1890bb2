#include "collect/torch/flops.h"

#include <numeric>
#include <optional>
#include <utility>

namespace laptime::torch {

namespace {

constexpr std::pair<std::string_view, FlopRule> kRules[] = {
    {"aten::mm", FlopRule::matrix_product},
    {"aten::addmm", FlopRule::added_matrix_product},
    {"aten::bmm", FlopRule::batched_product},
    {"aten::baddbmm", FlopRule::added_batched_product},
    {"aten::_scaled_mm", FlopRule::matrix_product},
    {"aten::mul", FlopRule::elementwise},
    {"aten::add", FlopRule::elementwise},
    {"aten::conv1d", FlopRule::convolution},
    {"aten::conv2d", FlopRule::convolution},
    {"aten::conv3d", FlopRule::convolution},
    {"aten::conv_transpose1d", FlopRule::transposed_convolution},
    {"aten::conv_transpose2d", FlopRule::transposed_convolution},
    {"aten::conv_transpose3d", FlopRule::transposed_convolution},
    // Counts by itself if the padding is a name, and in compiled code. Otherwise see
    // leave_flops_to_outer.
    {"aten::convolution", FlopRule::any_convolution},
    {"aten::convolution_backward", FlopRule::convolution_backward},
    // The kernels only. aten::scaled_dot_product_attention may consist of products that are counted
    // themselves.
    {"aten::_scaled_dot_product_flash_attention_for_cpu", FlopRule::attention},
    {"aten::_scaled_dot_product_flash_attention", FlopRule::attention},
    {"aten::_scaled_dot_product_efficient_attention", FlopRule::attention},
    {"aten::_scaled_dot_product_cudnn_attention", FlopRule::attention},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", FlopRule::attention_backward},
    {"aten::_scaled_dot_product_flash_attention_backward", FlopRule::attention_backward},
    {"aten::_scaled_dot_product_efficient_attention_backward", FlopRule::attention_backward},
    {"aten::_scaled_dot_product_cudnn_attention_backward", FlopRule::attention_backward},
};

std::uint64_t product(Numbers sizes) {
  return std::accumulate(
      sizes.begin(), sizes.end(), std::uint64_t{1},
      [](std::uint64_t sum, std::int64_t size) { return sum * static_cast<std::uint64_t>(size); });
}

Numbers tensor_sizes(const OpInputs& inputs, std::size_t index) {
  const OpInput input = inputs.at(index);
  return input.kind == InputKind::tensor ? input.numbers : Numbers{};
}

std::uint64_t product_flops(Numbers left, Numbers right, bool batched) {
  if (left.empty() || right.empty() || left.back() == 0 || (batched && left.front() == 0)) return 0;
  const std::uint64_t rows = product(left) / static_cast<std::uint64_t>(left.back());
  return 2 * (batched ? rows / static_cast<std::uint64_t>(left.front()) : rows) * product(right);
}

// Input: batch, channels, then space; a single image has no batch. Weight: channels of one side,
// channels of a group of the other side, then space.
struct Convolution {
  Numbers image, weight;

  bool is_sound() const {
    return weight.size() >= 3 &&
           (image.size() == weight.size() || image.size() + 1 == weight.size());
  }
  std::uint64_t batch() const {
    return image.size() == weight.size() ? static_cast<std::uint64_t>(image[0]) : 1;
  }
  Numbers space() const { return image.last(weight.size() - 2); }
  Numbers kernel() const { return weight.subspan(2); }
  // For a weight that is applied at this many places of each image.
  std::uint64_t flops_at(std::uint64_t places) const {
    return 2 * batch() * places * product(weight);
  }
};

// An int[n] argument may be one number for all elements.
bool read_each(const OpInput& input, std::size_t count, Numbers& numbers) {
  numbers = input.numbers;
  return input.kind == InputKind::integers && (numbers.size() == count || numbers.size() == 1);
}
std::int64_t number_at(Numbers numbers, std::size_t index) {
  return numbers.size() == 1 ? numbers[0] : numbers[index];
}

std::optional<bool> read_switch(const OpInput& input) {
  return input.kind == InputKind::integer && !input.numbers.empty()
             ? std::optional(input.numbers[0] != 0)
             : std::nullopt;
}

// Inputs 3 to 5: stride, padding, dilation.
std::uint64_t convolution_flops(const OpInputs& inputs) {
  const Convolution c{tensor_sizes(inputs, 0), tensor_sizes(inputs, 1)};
  if (!c.is_sound()) return 0;
  const Numbers space = c.space(), kernel = c.kernel();
  Numbers stride, padding, dilation;
  if (!read_each(inputs.at(3), space.size(), stride) ||
      !read_each(inputs.at(4), space.size(), padding) ||
      !read_each(inputs.at(5), space.size(), dilation))
    return 0;
  std::uint64_t places = 1;
  for (std::size_t i = 0; i < space.size(); ++i) {
    const std::int64_t reach = number_at(dilation, i) * (kernel[i] - 1) + 1,
                       room = space[i] + 2 * number_at(padding, i) - reach;
    if (room < 0 || number_at(stride, i) <= 0) return 0;
    places *= static_cast<std::uint64_t>(room / number_at(stride, i) + 1);
  }
  return c.flops_at(places);
}

// The weight is applied at every place of the input.
std::uint64_t transposed_convolution_flops(const OpInputs& inputs) {
  const Convolution c{tensor_sizes(inputs, 0), tensor_sizes(inputs, 1)};
  return c.is_sound() ? c.flops_at(product(c.space())) : 0;
}

std::uint64_t any_convolution_flops(const OpInputs& inputs) {
  const auto transposed = read_switch(inputs.at(6));
  if (!transposed) return 0;
  return *transposed ? transposed_convolution_flops(inputs) : convolution_flops(inputs);
}

// The gradients of the input and of the weight cost as much as the forward pass each. Input 10
// tells which are requested, input 7 whether the convolution was transposed.
std::uint64_t convolution_backward_flops(const OpInputs& inputs) {
  const auto transposed = read_switch(inputs.at(7));
  const OpInput requested = inputs.at(10);
  if (!transposed || requested.kind != InputKind::integers || requested.numbers.size() < 2)
    return 0;
  const Convolution c{tensor_sizes(inputs, *transposed ? 1 : 0), tensor_sizes(inputs, 2)};
  if (!c.is_sound()) return 0;
  const std::uint64_t products = (requested.numbers[0] != 0) + (requested.numbers[1] != 0);
  return products * c.flops_at(product(c.space()));
}

// Products for each pair of a query and a key: as wide as a query, and as wide as a value. Masks,
// causality and softmax are not counted.
struct AttentionProducts {
  std::uint64_t of_query_width, of_value_width;
};
constexpr AttentionProducts kForwardProducts{1, 1}, kBackwardProducts{3, 2};

// `first`: the index of the query among the inputs. Key and value follow it.
std::uint64_t attention_flops(const OpInputs& inputs, std::size_t first,
                              AttentionProducts products) {
  const Numbers query = tensor_sizes(inputs, first), key = tensor_sizes(inputs, first + 1),
                value = tensor_sizes(inputs, first + 2);
  if (query.size() != 4 || key.size() != 4 || value.size() != 4) return 0;
  const std::uint64_t scores = product(query.first(3)) * static_cast<std::uint64_t>(key[2]);
  return 2 * scores *
         (products.of_query_width * static_cast<std::uint64_t>(query[3]) +
          products.of_value_width * static_cast<std::uint64_t>(value[3]));
}

}  // namespace

FlopRule flop_rule(std::string_view op_name) {
  for (const auto& [name, rule] : kRules)
    if (name == op_name) return rule;
  return FlopRule::none;
}

std::uint64_t flops(FlopRule rule, const OpInputs& inputs) {
  switch (rule) {
    case FlopRule::none:
      return 0;
    case FlopRule::matrix_product:
      return product_flops(tensor_sizes(inputs, 0), tensor_sizes(inputs, 1), false);
    case FlopRule::added_matrix_product:
      return product_flops(tensor_sizes(inputs, 1), tensor_sizes(inputs, 2), false);
    case FlopRule::batched_product:
      return product_flops(tensor_sizes(inputs, 0), tensor_sizes(inputs, 1), true);
    case FlopRule::added_batched_product:
      return product_flops(tensor_sizes(inputs, 1), tensor_sizes(inputs, 2), true);
    case FlopRule::elementwise: {
      const OpInput input = inputs.at(0);
      return input.kind == InputKind::tensor ? product(input.numbers) : 0;
    }
    case FlopRule::convolution:
      return convolution_flops(inputs);
    case FlopRule::transposed_convolution:
      return transposed_convolution_flops(inputs);
    case FlopRule::any_convolution:
      return any_convolution_flops(inputs);
    case FlopRule::convolution_backward:
      return convolution_backward_flops(inputs);
    case FlopRule::attention:
      return attention_flops(inputs, 0, kForwardProducts);
    case FlopRule::attention_backward:
      return attention_flops(inputs, 1, kBackwardProducts);
  }
  return 0;
}

}  // namespace laptime::torch
