#include "collect/torch/flops.h"

#include <gtest/gtest.h>

#include <vector>

namespace laptime::torch {
namespace {

class Words {
 public:
  Words& add(InputKind kind, std::vector<std::int64_t> numbers, int type = 6) {
    words_.push_back(static_cast<std::int64_t>(numbers.size()) << 16 | type << 8 |
                     static_cast<int>(kind));
    words_.insert(words_.end(), numbers.begin(), numbers.end());
    return *this;
  }
  Words& tensor(std::vector<std::int64_t> sizes) {
    return add(InputKind::tensor, std::move(sizes));
  }
  OpInputs inputs() const { return OpInputs(words_); }
  std::vector<std::int64_t>& words() { return words_; }

 private:
  std::vector<std::int64_t> words_;
};

TEST(Flops, ProductsCountTwiceTheirMultiplications) {
  EXPECT_EQ(flops(flop_rule("aten::mm"), Words().tensor({3, 4}).tensor({4, 5}).inputs()),
            2u * 3 * 4 * 5);
  EXPECT_EQ(
      flops(flop_rule("aten::addmm"), Words().tensor({5}).tensor({3, 4}).tensor({4, 5}).inputs()),
      2u * 3 * 4 * 5);
  EXPECT_EQ(flops(flop_rule("aten::_scaled_mm"),
                  Words().tensor({3, 4}).tensor({4, 5}).tensor({}).tensor({}).inputs()),
            2u * 3 * 4 * 5);
  EXPECT_EQ(flops(flop_rule("aten::bmm"), Words().tensor({2, 3, 4}).tensor({2, 4, 5}).inputs()),
            2u * 2 * 3 * 4 * 5);
}

// A convolution's arguments from the stride on.
Words& geometry(Words& words, std::vector<std::int64_t> stride, std::vector<std::int64_t> padding,
                std::vector<std::int64_t> dilation) {
  return words.add(InputKind::integers, std::move(stride))
      .add(InputKind::integers, std::move(padding))
      .add(InputKind::integers, std::move(dilation));
}

TEST(Flops, ConvolutionNeedsAllItsArguments) {
  Words words;
  words.tensor({2, 3, 8, 8}).tensor({4, 3, 3, 3}).add(InputKind::other, {});
  EXPECT_EQ(flops(flop_rule("aten::conv2d"), words.inputs()), 0u);
  geometry(words, {1, 1}, {1, 1}, {1, 1}).add(InputKind::integer, {1});
  EXPECT_EQ(flops(flop_rule("aten::conv2d"), words.inputs()), 2u * 2 * 8 * 8 * 3 * 3 * 3 * 4);
}

TEST(Flops, ConvolutionsMayHaveAnyNumberOfDimensions) {
  Words one, three, single;
  geometry(one.tensor({2, 4, 9}).tensor({6, 4, 3}).add(InputKind::other, {}), {2}, {0}, {2});
  EXPECT_EQ(flops(flop_rule("aten::conv1d"), one.inputs()), 2u * 2 * 3 * 6 * 4 * 3)
      << "9 - 2 * 2 places, every second of them";
  geometry(three.tensor({1, 4, 5, 6, 7}).tensor({8, 2, 1, 2, 3}).add(InputKind::other, {}), {1},
           {0, 1, 1}, {1});
  EXPECT_EQ(flops(flop_rule("aten::conv3d"), three.inputs()), 2u * (5 * 7 * 7) * 8 * 2 * 1 * 2 * 3)
      << "two groups; one number for all dimensions";
  geometry(single.tensor({3, 8, 8}).tensor({4, 3, 3, 3}).add(InputKind::other, {}), {1}, {0}, {1});
  EXPECT_EQ(flops(flop_rule("aten::conv2d"), single.inputs()), 2u * 36 * 4 * 3 * 9)
      << "without a batch";
  Words none;
  geometry(none.tensor({2, 4, 2}).tensor({6, 4, 3}).add(InputKind::other, {}), {1}, {0}, {1});
  EXPECT_EQ(flops(flop_rule("aten::conv1d"), none.inputs()), 0u) << "a kernel that does not fit";
}

TEST(Flops, ATransposedConvolutionAppliesItsWeightToEveryInput) {
  Words outer, inner;
  geometry(outer.tensor({2, 4, 8, 8}).tensor({4, 2, 3, 3}).add(InputKind::other, {}), {2}, {0},
           {1});
  EXPECT_EQ(flops(flop_rule("aten::conv_transpose2d"), outer.inputs()), 2u * 2 * 64 * 4 * 2 * 9);
  geometry(inner.tensor({2, 4, 8, 8}).tensor({4, 4, 3, 3}).add(InputKind::other, {}), {2, 2},
           {0, 0}, {1, 1})
      .add(InputKind::integer, {1});
  EXPECT_EQ(flops(flop_rule("aten::convolution"), inner.inputs()), 2u * 2 * 64 * 4 * 4 * 9);
  Words plain;
  geometry(plain.tensor({2, 4, 8, 8}).tensor({4, 4, 3, 3}).add(InputKind::other, {}), {2, 2},
           {0, 0}, {1, 1})
      .add(InputKind::integer, {0});
  EXPECT_EQ(flops(flop_rule("aten::convolution"), plain.inputs()), 2u * 2 * 9 * 4 * 4 * 9);
}

TEST(Flops, AConvolutionsBackwardPassMakesTheRequestedProducts) {
  const auto backward = [](std::int64_t transposed, std::vector<std::int64_t> requested) {
    Words words;
    words.tensor({2, 6, 4, 4})
        .tensor({2, 4, 8, 8})
        .tensor({6, 4, 3, 3})
        .add(InputKind::integers, {6});
    geometry(words, {2, 2}, {1, 1}, {1, 1})
        .add(InputKind::integer, {transposed})
        .add(InputKind::integers, {0, 0})
        .add(InputKind::integer, {1});
    return flops(flop_rule("aten::convolution_backward"),
                 words.add(InputKind::integers, std::move(requested)).inputs());
  };
  EXPECT_EQ(backward(0, {1, 1, 1}), 2u * 2 * 2 * 16 * 6 * 4 * 9);
  EXPECT_EQ(backward(0, {0, 1, 1}), 2u * 2 * 16 * 6 * 4 * 9)
      << "the first layer's input has no gradient";
  EXPECT_EQ(backward(0, {0, 0, 1}), 0u);
  EXPECT_EQ(backward(1, {1, 0, 0}), 2u * 2 * 64 * 6 * 4 * 9);
}

TEST(Flops, AttentionsBackwardPassMakesFiveProductsOfItsForwardPasssTwo) {
  Words forward, backward, wide;
  forward.tensor({2, 3, 8, 4}).tensor({2, 3, 6, 4}).tensor({2, 3, 6, 4});
  EXPECT_EQ(flops(flop_rule("aten::_scaled_dot_product_flash_attention"), forward.inputs()),
            2u * 2 * (2 * 3 * 8 * 6) * 4);
  backward.tensor({2, 3, 8, 4}).tensor({2, 3, 8, 4}).tensor({2, 3, 6, 4}).tensor({2, 3, 6, 4});
  EXPECT_EQ(
      flops(flop_rule("aten::_scaled_dot_product_flash_attention_backward"), backward.inputs()),
      5u * 2 * (2 * 3 * 8 * 6) * 4);
  wide.tensor({2, 3, 8, 16}).tensor({2, 3, 8, 4}).tensor({2, 3, 6, 4}).tensor({2, 3, 6, 16});
  EXPECT_EQ(flops(flop_rule("aten::_scaled_dot_product_cudnn_attention_backward"), wide.inputs()),
            2u * (2 * 3 * 8 * 6) * (3 * 4 + 2 * 16))
      << "values of another width";
}

TEST(Flops, EmptyProductsAreNothing) {
  EXPECT_EQ(flops(FlopRule::matrix_product, Words().tensor({3, 0}).tensor({0, 5}).inputs()), 0u);
  EXPECT_EQ(flops(FlopRule::matrix_product, Words().inputs()), 0u);
}

constexpr std::size_t kLong = 4096;

TEST(OpInputs, TextsAreTorchs) {
  Words words;
  words.tensor({64, 1})
      .add(InputKind::other, {})
      .add(InputKind::integers, {1, 2})
      .add(InputKind::scalar, {});
  EXPECT_EQ(shapes_text(words.inputs(), kLong), "[[64, 1], [], [], []]");
  EXPECT_EQ(types_text(words.inputs(), kLong), R"(["float", "", "ScalarList", "Scalar"])");
  EXPECT_EQ(types_text(Words()
                           .add(InputKind::tensor, {3}, 24)
                           .add(InputKind::tensor, {3}, 29)
                           .add(InputKind::tensor, {3}, 99)
                           .inputs(),
                       kLong),
            R"(["c10::Float8_e4m3fn", "long unsigned int", ""])");
  Words list;
  list.words().push_back(2 << 16 | static_cast<int>(InputKind::tensor_list));
  list.tensor({2, 2}).tensor({3}).add(InputKind::integer, {1});
  EXPECT_EQ(shapes_text(list.inputs(), kLong), "[[[2, 2], [3]], []]");
  EXPECT_EQ(shapes_text(list.inputs(), 19), "[[[2, 2], [3]], []]");
  EXPECT_EQ(shapes_text(list.inputs(), 18), "[[], []]");
}

TEST(OpInputs, TextsThatWouldBeTooLongLeaveOutTheLongestAndOfTheseTheLast) {
  Words words;
  words.tensor({1}).tensor({12, 34}).tensor({12}).tensor({34});
  EXPECT_EQ(shapes_text(words.inputs(), kLong), "[[1], [12, 34], [12], [34]]");
  EXPECT_EQ(shapes_text(words.inputs(), 26), "[[1], [], [12], [34]]");
  EXPECT_EQ(shapes_text(words.inputs(), 20), "[[1], [], [12], []]");
  EXPECT_EQ(shapes_text(words.inputs(), 16), "[[], [], [], []]");
  EXPECT_EQ(shapes_text(words.inputs(), 15), "[[1], [], [12]]")
      << "three say nothing in 12 characters";
  EXPECT_EQ(shapes_text(words.inputs(), 12), "[[], [], []]");
  EXPECT_EQ(types_text(words.inputs(), 35), R"(["float", "float", "float", ""])");
  EXPECT_EQ(types_text(words.inputs(), 15), R"(["", "", ""])");
  Words many;
  for (int i = 0; i < 3000; ++i) many.tensor({i});
  EXPECT_LE(shapes_text(many.inputs(), kLong).size(), kLong);
  EXPECT_LE(types_text(many.inputs(), kLong).size(), kLong);
}

TEST(OpInputs, WordsThatEndTooEarlyAreNotReadPast) {
  Words words;
  words.tensor({64, 1});
  words.words().pop_back();
  EXPECT_EQ(shapes_text(words.inputs(), kLong), "[[]]");
  EXPECT_EQ(words.inputs().at(0).kind, InputKind::other);
  EXPECT_EQ(words.inputs().at(5).kind, InputKind::other);
}

}  // namespace
}  // namespace laptime::torch
