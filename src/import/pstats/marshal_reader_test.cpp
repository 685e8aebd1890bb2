#include "import/pstats/marshal_reader.h"

#include <gtest/gtest.h>
#include <cstdint>
#include <string>
#include <string_view>

#include "import/testing/memory_source.h"

namespace laptime {
namespace {

Result<PythonTree> read(std::string_view bytes, std::size_t piece = SIZE_MAX,
                        ImportBudget budget = ImportBudget()) {
  const ByteView view(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  auto in = ByteStream::create(memory_source(view, piece), budget);
  return in ? read_marshal(*in) : tl::unexpected(in.error());
}
std::string message(std::string_view bytes) {
  const auto whole = read(bytes), in_pieces = read(bytes, 1);
  EXPECT_EQ(whole.has_value(), in_pieces.has_value());
  if (whole || in_pieces) return "no error";
  EXPECT_EQ(whole.error().message, in_pieces.error().message);
  return whole.error().message;
}
using namespace std::string_view_literals;
using namespace std::string_literals;

TEST(MarshalReader, ReadsNumbersOfEveryKind) {
  const auto tree = read(
      "(\x06\0\0\0"
      "i\xff\xff\xff\xff"
      "I\0\0\0\0\x01\0\0\0"
      "l\xfd\xff\xff\xff\x01\0\0\0\x04\0"
      "g\0\0\0\0\0\0\xf8\x3f"
      "f\x04"
      "-2.5"
      "T"sv);
  ASSERT_TRUE(tree) << tree.error().message;
  const auto& items = tree->values.items(tree->root);
  EXPECT_EQ(tree->values.integer(items[0]), -1);
  EXPECT_EQ(tree->values.integer(items[1]), std::int64_t{1} << 32);
  EXPECT_EQ(tree->values.integer(items[2]), -((std::int64_t{4} << 30) + 1));
  EXPECT_EQ(tree->values.real(items[3]), 1.5);
  EXPECT_EQ(tree->values.real(items[4]), -2.5);
  EXPECT_TRUE(tree->values.is(items[5], PythonType::boolean));
}

TEST(MarshalReader, ReferencesNameValuesInTheOrderTheyBegan) {
  // (outer marked, "ab" marked, reference to 1)
  const auto tree = read(
      "\xa9\x02\xda\x02"
      "ab"
      "r\x01\0\0\0"sv);
  ASSERT_TRUE(tree) << tree.error().message;
  const auto& items = tree->values.items(tree->root);
  EXPECT_EQ(items[0], items[1]);
  EXPECT_EQ(tree->values.text(items[0]), "ab");
}

TEST(MarshalReader, RefusesReferencesToNothingAndToTheUnfinished) {
  EXPECT_EQ(message("r\x07\0\0\0"sv), "refers to a value that is not there at byte 5");
  EXPECT_EQ(message("\xa9\x01r\0\0\0\0"sv), "refers to a value that is not there at byte 7");
}

TEST(MarshalReader, BelievesNoLength) {
  EXPECT_EQ(message("u\xff\xff\xff\xff"
                    "abc"sv),
            "is cut short");
  EXPECT_EQ(message("(\xff\xff\xff\x7f"sv), "is cut short");
  EXPECT_EQ(message("l\xff\xff\xff\x7f\x01\0"sv), "is cut short");
  EXPECT_NE(message("l\x06\0\0\0\x01\0\x01\0\x01\0\x01\0\x01\0\x01\0"sv).find("beyond 63 bits"),
            std::string::npos);
}

TEST(MarshalReader, HasALimitOnNesting) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += ")\x01"sv;
  EXPECT_NE(message(deep).find("nested too deeply"), std::string::npos);
}

TEST(MarshalReader, RefusesCodeAndUnknownTypes) {
  EXPECT_EQ(message("c\0\0\0\0"sv),
            "holds a value that no profile has (marshal type 0x63) at byte 1");
}

TEST(MarshalReader, EveryTruncationIsAnError) {
  const auto whole =
      "{)\x03z\x01"
      "fi\x01\0\0\0z\x01"
      "g)\x02i\x01\0\0\0g\0\0\0\0\0\0\xf8\x3f"
      "0"sv;
  EXPECT_TRUE(read(whole));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(read(whole.substr(0, size))) << size;
}

TEST(MarshalReader, StopsAtItsBudget) {
  const std::string bytes = "s\x80\x96\x98\0"s + std::string(10'000'000, 'x');
  EXPECT_TRUE(read(bytes));
  const auto tree = read(bytes, SIZE_MAX, ImportBudget(8 << 20));
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().message,
            "takes more than 8.39 MB of memory to import (--max-memory SIZE sets another limit)");
  std::string many = "(\x80\x96\x98\0"s;
  many.resize(many.size() + 10'000'000, 'N');
  EXPECT_FALSE(read(many, SIZE_MAX, ImportBudget(8 << 20)));
}

}  // namespace
}  // namespace laptime
