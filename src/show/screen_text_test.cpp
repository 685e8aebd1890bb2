#include "show/screen_text.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

TEST(ScreenText, MeasuresColumnsNotBytes) {
  EXPECT_EQ(screen_width("step"), 4u);
  EXPECT_EQ(screen_width("µs"), 2u);
  EXPECT_EQ(screen_width("前向"), 4u);
  EXPECT_EQ(screen_width("e\u0301"), 1u);
}

TEST(ScreenText, LeavesNoControlCharacters) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\uFFFD[31mb");
  EXPECT_EQ(printable("line\nbreak\u202e"), "line\uFFFDbreak\uFFFD");
  EXPECT_EQ(printable("\xff"), "\uFFFD");
}

TEST(ScreenText, ShortensInTheMiddle) {
  EXPECT_EQ(shorten_middle("short", 5), "short");
  EXPECT_EQ(shorten_middle("encoder.layers.11.attention", 11), "encod…ntion");
  EXPECT_EQ(shorten_middle("abcdef", 1), "…");
  EXPECT_EQ(shorten_middle("abcdef", 0), "");
  for (std::size_t width = 0; width < 12; ++width)
    EXPECT_LE(screen_width(shorten_middle("前向伝播の計算", width)), width);
}

TEST(ScreenText, ShowsPathsFromAFolderWhereThatIsShorter) {
  EXPECT_EQ(shorter_path("/data/a/project/train.py", "/data/a/project"), "train.py");
  EXPECT_EQ(shorter_path("/data/a/project/train.py", "/data/a/project/"), "train.py");
  EXPECT_EQ(shorter_path("/data/a/project/net/model.py", "/data/a/project/runs"),
            "../net/model.py");
  EXPECT_EQ(shorter_path("/usr/lib/x.py", "/data/a/project"), "/usr/lib/x.py");
  EXPECT_EQ(shorter_path("/data/a/projects/train.py", "/data/a/project"), "../projects/train.py");
  EXPECT_EQ(shorter_path("train.py", "/data/a"), "train.py");
  EXPECT_EQ(shorter_path("/train.py", ""), "/train.py");
  EXPECT_EQ(shorter_path("", "/home"), "");
}

}  // namespace
}  // namespace laptime
