#include "replay/price/changes.h"

#include <gtest/gtest.h>

namespace laptime::replay {
namespace {

TEST(Changes, AScaleIsAPatternAndAFactor) {
  const auto scale = parse_scale("aten::conv2d=0.5");
  ASSERT_TRUE(scale);
  EXPECT_EQ(scale->pattern, "aten::conv2d");
  EXPECT_EQ(scale->factor, 0.5);
  EXPECT_EQ(parse_scale("a=b=2")->pattern, "a=b");
  for (const char* bad : {"aten::mm", "=1", "x=", "x=-1", "x=nan", "x=inf", "x=1e300", "x=1 "})
    EXPECT_FALSE(parse_scale(bad)) << bad;
}

TEST(Changes, ABatchIsAFactorAboveZero) {
  EXPECT_EQ(*parse_batch("2x"), 2);
  EXPECT_EQ(*parse_batch("0.5"), 0.5);
  for (const char* bad : {"", "x", "0", "0x", "two", "-1"}) EXPECT_FALSE(parse_batch(bad)) << bad;
}

TEST(Changes, ALineIsAFileAndANumber) {
  EXPECT_EQ(as_line("src/train.py:42")->line, 42u);
  EXPECT_EQ(as_line("src/train.py:42")->file, "src/train.py");
  EXPECT_FALSE(as_line("aten::mm"));
  EXPECT_FALSE(as_line(":3"));
  EXPECT_TRUE(is_file("/data/me/train.py", "train.py"));
  EXPECT_TRUE(is_file("/data/me/train.py", "me/train.py"));
  EXPECT_FALSE(is_file("/data/me/pretrain.py", "train.py"));
}

TEST(Changes, SeveralAreMadeAtOnce) {
  Changes batch;
  batch.batch = 2;
  Changes all = batch;
  all.add(scale_change("gc", 0, 0, 0.2));
  all.add(batch);
  EXPECT_EQ(all.batch, 4);
  EXPECT_EQ(all.scales.size(), 1u);
}

}  // namespace
}  // namespace laptime::replay
