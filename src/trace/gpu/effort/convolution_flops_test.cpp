#include "trace/gpu/effort/convolution_flops.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

TEST(ConvolutionFlops, AreThoseOfTheForwardPass) {
  EXPECT_EQ(
      convolution_backward_flops(
          "[[64, 32, 26, 26], [64, 1, 28, 28], [32, 1, 3, 3], [], [], [], [], [], [], [], []]"),
      2ull * 64 * 32 * 26 * 26 * 9);
  EXPECT_EQ(convolution_backward_flops("[[8, 64, 10, 10], [8, 32, 10, 10], [64, 4, 3, 3], []]"),
            2ull * 8 * 64 * 100 * 4 * 9)
      << "8 groups";
  EXPECT_EQ(convolution_backward_flops("[[8, 16, 100], [8, 4, 104], [16, 4, 5], []]"),
            2ull * 8 * 16 * 100 * 4 * 5)
      << "one dimension";
  EXPECT_EQ(convolution_backward_flops("[[8, 64, 5, 5], [8, 64, 10, 10], [64, 64, 3, 3], []]"),
            2ull * 8 * 64 * 25 * 64 * 9)
      << "a stride";
}

TEST(ConvolutionFlops, OfATransposedOneCountItsInput) {
  EXPECT_EQ(convolution_backward_flops("[[8, 16, 20, 20], [8, 64, 10, 10], [64, 16, 3, 3], []]"),
            2ull * 8 * 64 * 100 * 16 * 9);
  EXPECT_EQ(convolution_backward_flops("[[8, 64, 20, 20], [8, 64, 10, 10], [64, 64, 3, 3], []]"),
            std::nullopt)
      << "or one with much padding";
}

TEST(ConvolutionFlops, AreUnknownForShapesThatAreNone) {
  for (const char* shapes :
       {"", "[]", "[[64, 32, 26, 26], [64, 1, 28, 28]]", "[[64], [64], [64]]",
        "[[4, 32, 2, 2], [8, 1, 2, 2], [32, 1, 3, 3]]",
        "[[4, 5, 2, 2], [4, 7, 2, 2], [32, 1, 3, 3]]",
        "[[4, 32, 2, 2], [4, 1, 2, 2], [32, 0, 3, 3]]", "[[[4], [5]], [], []]",
        "[[18446744073709551615, 32, 9, 9], [18446744073709551615, 1, 9, 9], [32, 1, 9, 9]]",
        "[[x, 32, 2, 2], [x, 1, 2, 2], [32, 1, 3, 3]]"})
    EXPECT_EQ(convolution_backward_flops(shapes), std::nullopt) << shapes;
}

}  // namespace
}  // namespace laptime
