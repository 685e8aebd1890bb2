#include "show/humane_cell.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

TEST(HumaneCell, EveryUnit) {
  EXPECT_EQ(humane_cell(kUnknown, Unit::ns), "-");
  EXPECT_EQ(humane_cell(0.1234, Unit::share), "12.3 %");
  EXPECT_EQ(humane_cell(812.0, Unit::per_second), "812 /s");
  EXPECT_EQ(humane_cell(1.25, Unit::factor), "1.25 ×");
  EXPECT_EQ(humane_cell(std::int64_t{12345}, Unit::none), "12345");
  EXPECT_EQ(humane_cell(std::int64_t{12345}, Unit::count), "12,345");
  EXPECT_EQ(humane_cell(0.00123, Unit::none), "0.00123");
  EXPECT_EQ(humane_cell(2.5, Unit::none), "2.50");
}

}  // namespace
}  // namespace laptime
