#include "collect/torch/flops.h"

#include <array>
#include <functional>
#include <numeric>
#include <utility>

namespace laptime::torch {

namespace {

constexpr std::array<std::pair<std::string_view, FlopRule>, 11> kRules{{
    {"aten::conv2d", FlopRule::conv2d},
    {"aten::mm", FlopRule::matrix_product},
    {"aten::addmm", FlopRule::added_matrix_product},
    {"aten::bmm", FlopRule::batched_product},
    {"aten::baddbmm", FlopRule::added_batched_product},
    {"aten::mul", FlopRule::elementwise},
    {"aten::add", FlopRule::elementwise},
    // The kernels, not aten::scaled_dot_product_attention: that one may also be made of products that count themselves.
    {"aten::_scaled_dot_product_flash_attention_for_cpu", FlopRule::attention},
    {"aten::_scaled_dot_product_flash_attention", FlopRule::attention},
    {"aten::_scaled_dot_product_efficient_attention", FlopRule::attention},
    {"aten::_scaled_dot_product_cudnn_attention", FlopRule::attention},
}};

std::uint64_t product(Numbers sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{1},
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

struct Pair {
  std::int64_t height, width;
};
// An int[2] argument may be given as one number for both.
bool read_pair(const OpInput& input, Pair& pair) {
  if (input.kind != InputKind::integers || input.numbers.empty() || input.numbers.size() > 2) return false;
  pair = {input.numbers.front(), input.numbers.back()};
  return true;
}

std::uint64_t conv2d_flops(const OpInputs& inputs) {
  const Numbers image = tensor_sizes(inputs, 0), kernel = tensor_sizes(inputs, 1);
  const OpInput groups = inputs.at(6);
  Pair stride{}, padding{}, dilation{};
  if (image.size() != 4 || kernel.size() != 4 || groups.kind != InputKind::integer || groups.numbers[0] <= 0) return 0;
  if (!read_pair(inputs.at(3), stride) || !read_pair(inputs.at(4), padding) || !read_pair(inputs.at(5), dilation)) return 0;
  if (stride.height <= 0 || stride.width <= 0) return 0;
  const std::int64_t height = (image[2] + 2 * padding.height - dilation.height * (kernel[2] - 1) - 1) / stride.height + 1;
  const std::int64_t width = (image[3] + 2 * padding.width - dilation.width * (kernel[3] - 1) - 1) / stride.width + 1;
  const std::array<std::int64_t, 7> factors{image[0], height, width, kernel[2], kernel[3], image[1], kernel[0]};
  return 2 * product(factors) / static_cast<std::uint64_t>(groups.numbers[0]);
}

// Scores (queries by keys) and their product with the values; masks, causality and softmax count nothing.
std::uint64_t attention_flops(const OpInputs& inputs) {
  const Numbers query = tensor_sizes(inputs, 0), key = tensor_sizes(inputs, 1), value = tensor_sizes(inputs, 2);
  if (query.size() != 4 || key.size() != 4 || value.size() != 4) return 0;
  const std::uint64_t scores = product(query.first(3)) * static_cast<std::uint64_t>(key[2]);
  return 2 * scores * static_cast<std::uint64_t>(query[3] + value[3]);
}

}  // namespace

FlopRule flop_rule(std::string_view op_name) {
  for (const auto& [name, rule] : kRules)
    if (name == op_name) return rule;
  return FlopRule::none;
}

std::uint64_t flops(FlopRule rule, const OpInputs& inputs) {
  switch (rule) {
    case FlopRule::none: return 0;
    case FlopRule::conv2d: return conv2d_flops(inputs);
    case FlopRule::matrix_product: return product_flops(tensor_sizes(inputs, 0), tensor_sizes(inputs, 1), false);
    case FlopRule::added_matrix_product: return product_flops(tensor_sizes(inputs, 1), tensor_sizes(inputs, 2), false);
    case FlopRule::batched_product: return product_flops(tensor_sizes(inputs, 0), tensor_sizes(inputs, 1), true);
    case FlopRule::added_batched_product: return product_flops(tensor_sizes(inputs, 1), tensor_sizes(inputs, 2), true);
    case FlopRule::elementwise: {
      const OpInput input = inputs.at(0);
      return input.kind == InputKind::tensor ? product(input.numbers) : 0;
    }
    case FlopRule::attention: return attention_flops(inputs);
  }
  return 0;
}

}  // namespace laptime::torch
