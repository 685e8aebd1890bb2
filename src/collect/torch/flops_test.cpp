#include "collect/torch/flops.h"

#include <gtest/gtest.h>

#include <vector>

namespace laptime::torch {
namespace {

class Words {
 public:
  Words& add(InputKind kind, std::vector<std::int64_t> numbers, int type = 6) {
    words_.push_back(static_cast<std::int64_t>(numbers.size()) << 16 | type << 8 | static_cast<int>(kind));
    words_.insert(words_.end(), numbers.begin(), numbers.end());
    return *this;
  }
  Words& tensor(std::vector<std::int64_t> sizes) { return add(InputKind::tensor, std::move(sizes)); }
  OpInputs inputs() const { return OpInputs(words_); }
  std::vector<std::int64_t>& words() { return words_; }

 private:
  std::vector<std::int64_t> words_;
};

TEST(Flops, ProductsCountTwiceTheirMultiplications) {
  EXPECT_EQ(flops(flop_rule("aten::mm"), Words().tensor({3, 4}).tensor({4, 5}).inputs()), 2u * 3 * 4 * 5);
  EXPECT_EQ(flops(flop_rule("aten::addmm"), Words().tensor({5}).tensor({3, 4}).tensor({4, 5}).inputs()), 2u * 3 * 4 * 5);
  EXPECT_EQ(flops(flop_rule("aten::bmm"), Words().tensor({2, 3, 4}).tensor({2, 4, 5}).inputs()), 2u * 2 * 3 * 4 * 5);
}

TEST(Flops, ConvolutionNeedsAllItsArguments) {
  Words words;
  words.tensor({2, 3, 8, 8}).tensor({4, 3, 3, 3}).add(InputKind::other, {});
  EXPECT_EQ(flops(FlopRule::conv2d, words.inputs()), 0u);
  words.add(InputKind::integers, {1, 1}).add(InputKind::integers, {1, 1}).add(InputKind::integers, {1, 1}).add(InputKind::integer, {1});
  EXPECT_EQ(flops(FlopRule::conv2d, words.inputs()), 2u * 2 * 8 * 8 * 3 * 3 * 3 * 4);
}

TEST(Flops, EmptyProductsAreNothing) {
  EXPECT_EQ(flops(FlopRule::matrix_product, Words().tensor({3, 0}).tensor({0, 5}).inputs()), 0u);
  EXPECT_EQ(flops(FlopRule::matrix_product, Words().inputs()), 0u);
}

constexpr std::size_t kLong = 4096;

TEST(OpInputs, TextsAreTorchs) {
  Words words;
  words.tensor({64, 1}).add(InputKind::other, {}).add(InputKind::integers, {1, 2}).add(InputKind::scalar, {});
  EXPECT_EQ(shapes_text(words.inputs(), kLong), "[[64, 1], [], [], []]");
  EXPECT_EQ(types_text(words.inputs(), kLong), R"(["float", "", "ScalarList", "Scalar"])");
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
  EXPECT_EQ(shapes_text(words.inputs(), 15), "[[1], [], [12]]") << "three say nothing in 12 characters";
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
