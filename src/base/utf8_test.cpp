#include "base/utf8.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

std::string json(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(Utf8, KeepsWhatIsValid) {
  const std::string text = "vorwärts 前向 🏁";
  EXPECT_EQ(make_valid_utf8(text), text);
}

TEST(Utf8, ReplacesEveryByteThatIsNot) {
  EXPECT_EQ(make_valid_utf8("a\xFFz"), "a\uFFFDz");
  EXPECT_EQ(make_valid_utf8("\xC0\xAF"), "\uFFFD\uFFFD") << "overlong";
  EXPECT_EQ(make_valid_utf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD") << "surrogate";
  EXPECT_EQ(make_valid_utf8("\xE5\x89"), "\uFFFD\uFFFD") << "cut";
  EXPECT_EQ(make_valid_utf8("\xF4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD") << "beyond Unicode";
}

TEST(Utf8, EscapesForJson) {
  EXPECT_EQ(json("plain"), "\"plain\"");
  EXPECT_EQ(json("a\"b\\c\n\t\r"), R"("a\"b\\c\n\t\r")");
  EXPECT_EQ(json(std::string_view("\0\x1b\x7f", 3)), R"("\u0000\u001b\u007f")");
  EXPECT_EQ(json("\xFE 前"), "\"\uFFFD 前\"");
}

}  // namespace
}  // namespace laptime
