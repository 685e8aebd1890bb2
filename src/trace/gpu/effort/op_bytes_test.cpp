#include "trace/gpu/effort/op_bytes.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

constexpr const char* kBinary = "[\"float\", \"float\", \"Scalar\"]";

TEST(OpBytes, CountsWhatIsReadAndWrittenOnce) {
  EXPECT_EQ(bytes_moved("aten::threshold_backward", "[[64, 128], [64, 128], []]", kBinary),
            3u * 64 * 128 * 4);
  EXPECT_EQ(bytes_moved("aten::add_", "[[64, 10], [10], []]", kBinary), (640u + 10 + 640) * 4)
      << "a smaller one is broadcast";
  EXPECT_EQ(bytes_moved("aten::mul", "[[64, 10], []]", "[\"c10::BFloat16\", \"float\"]"),
            640u * 2 + 4 + 640 * 2)
      << "a tensor without dimensions has one element";
  EXPECT_EQ(bytes_moved("aten::zero_", "[[64, 10]]", "[\"float\"]"), 2560u);
  EXPECT_EQ(bytes_moved("aten::copy_", "[[64], [64], []]", "[\"float\", \"long int\", \"Scalar\"]"),
            64u * 12);
  EXPECT_EQ(bytes_moved("aten::copy_", "[[64], [64], []]",
                        "[\"c10::Float8_e4m3fn\", \"c10::BFloat16\", \"Scalar\"]"),
            64u * 3);
  EXPECT_EQ(bytes_moved("aten::sum", "[[64, 32, 26, 26], [], [], []]",
                        "[\"float\", \"ScalarList\", \"Scalar\", \"\"]"),
            64u * 32 * 26 * 26 * 4);
}

TEST(OpBytes, AnOutputHasTheTypeThatTorchMakesOfTheInputs) {
  EXPECT_EQ(bytes_moved("aten::mul", "[[64, 10], []]", "[\"c10::BFloat16\", \"double\"]"),
            640u * 2 + 8 + 640 * 2)
      << "x * 0.5";
  EXPECT_EQ(bytes_moved("aten::mul", "[[64, 10], []]", "[\"long int\", \"double\"]"),
            640u * 8 + 8 + 640 * 4)
      << "integers become floats";
  EXPECT_EQ(bytes_moved("aten::add", "[[64, 10], [64, 10], []]",
                        "[\"c10::BFloat16\", \"float\", \"Scalar\"]"),
            640u * (2 + 4 + 4));
  EXPECT_EQ(bytes_moved("aten::add_", "[[64, 10], [64, 10], []]",
                        "[\"c10::BFloat16\", \"float\", \"Scalar\"]"),
            640u * (2 + 4 + 2))
      << "in place";
}

TEST(OpBytes, CountsTheElementsOfTheFirstList) {
  constexpr const char* kLists = "[\"TensorList\", \"TensorList\", \"Scalar\"]";
  EXPECT_EQ(first_list_elements("[[[32, 1, 3, 3], [32], []], [[7]], []]", kLists),
            32u * 9 + 32 + 1);
  EXPECT_EQ(first_list_elements("[[[10]]]", "[\"TensorList\"]"), 10u);
  EXPECT_EQ(first_list_elements("[[64, 10], [3]]", "[\"float\", \"float\"]"), std::nullopt);
  EXPECT_EQ(first_list_elements("[[], [[7]], []]", kLists), std::nullopt)
      << "left out, being too long";
  for (const char* text : {"[[[", "[[[3], [x]]]", "[[[18446744073709551615], [2]]]", "[[[3], [4"})
    EXPECT_EQ(first_list_elements(text, kLists), std::nullopt) << text;
}

TEST(OpBytes, SaysNothingWhereItDoesNotKnow) {
  EXPECT_EQ(bytes_moved("aten::mm", "[[64, 10], [10, 64], []]", kBinary), std::nullopt);
  EXPECT_EQ(bytes_moved("aten::add", "[[[64], [3]], []]", "[\"TensorList\", \"Scalar\"]"),
            std::nullopt);
  EXPECT_EQ(bytes_moved("aten::add", "[[64], [64]]", "[\"float\"]"), std::nullopt);
  EXPECT_EQ(bytes_moved("aten::add", "[[64]]", "[\"c10::qint8\"]"), std::nullopt);
  EXPECT_EQ(bytes_moved("aten::copy_", "[[64], [64], []]", "[\"\", \"float\", \"Scalar\"]"),
            std::nullopt)
      << "a tensor of a type without a name";
  EXPECT_EQ(bytes_moved("aten::add", "[[18446744073709551615, 2]]", "[\"float\"]"), std::nullopt);
  for (const char* text : {"", "[", "]", "[[", "[]", "[[x]]", "[[64,,]]", "nonsense"})
    EXPECT_EQ(bytes_moved("aten::zero_", text, "[\"float\"]").value_or(0) % 256, 0u) << text;
  EXPECT_EQ(bytes_moved("aten::add", "", ""), std::nullopt);
}

}  // namespace
}  // namespace laptime
