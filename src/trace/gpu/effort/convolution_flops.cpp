#include "trace/gpu/effort/convolution_flops.h"

#include <vector>

#include "trace/gpu/effort/op_bytes.h"

namespace laptime {

namespace {

using Sizes = std::vector<std::uint64_t>;

std::optional<std::uint64_t> product(const Sizes& sizes, std::size_t first) {
  std::uint64_t result = 1;
  for (std::size_t i = first; i < sizes.size(); ++i)
    if (__builtin_mul_overflow(result, sizes[i], &result)) return std::nullopt;
  return result;
}

// Input and output: batch, channels, position in space. Weight: channels of one side, channels of
// the other side in a group, position in the kernel.
struct Convolution {
  Sizes output, input, weight;

  bool is_sound() const {
    if (weight.size() < 3 || output.size() != weight.size() || input.size() != weight.size())
      return false;
    return weight[0] > 0 && weight[1] > 0 && output[0] == input[0];
  }
  bool may_be_plain() const { return output[1] == weight[0] && input[1] % weight[1] == 0; }
  bool may_be_transposed() const { return input[1] == weight[0] && output[1] % weight[1] == 0; }
};

// The side whose every element each kernel position is applied to once. It is the output, in a
// transposed convolution the input.
const Sizes* applied_side(const Convolution& c) {
  const auto outputs = product(c.output, 2), inputs = product(c.input, 2);
  if (!outputs || !inputs) return nullptr;
  if (c.may_be_plain() && (!c.may_be_transposed() || *outputs <= *inputs)) return &c.output;
  return c.may_be_transposed() && !c.may_be_plain() ? &c.input : nullptr;
}

}  // namespace

std::optional<std::uint64_t> convolution_backward_flops(std::string_view shapes) {
  const auto texts = split_shapes(shapes);
  if (!texts || texts->size() < 3) return std::nullopt;
  Convolution c;
  Sizes* const sizes[] = {&c.output, &c.input, &c.weight};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto parsed = parse_sizes((*texts)[i]);
    if (!parsed) return std::nullopt;
    *sizes[i] = *parsed;
  }
  if (!c.is_sound()) return std::nullopt;
  const Sizes* const side = applied_side(c);
  const auto elements = side ? product(*side, 0) : std::nullopt, kernel = product(c.weight, 1);
  std::uint64_t result = 0;
  if (!elements || !kernel || __builtin_mul_overflow(*elements, *kernel, &result) ||
      __builtin_mul_overflow(result, std::uint64_t{2}, &result))
    return std::nullopt;
  return result;
}

}  // namespace laptime
