#include "advise/words.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

TEST(Words, Counts) {
  EXPECT_EQ(counted(1, "copy", "copies"), "1 copy");
  EXPECT_EQ(counted(2.5, "copy", "copies"), "2.5 copies");
  EXPECT_EQ(counted(12.4, "copy", "copies"), "12 copies");
}

TEST(Words, QuotesAreCutBetweenCharacters) {
  EXPECT_EQ(cited(""), "");
  EXPECT_EQ(cited("a = b"), " `a = b`");
  EXPECT_EQ(cited(std::string(59, 'x') + "é"), " `" + std::string(59, 'x') + "…`");
  EXPECT_EQ(cited(std::string(61, 'x')), " `" + std::string(60, 'x') + "…`");
}

}  // namespace
}  // namespace laptime
