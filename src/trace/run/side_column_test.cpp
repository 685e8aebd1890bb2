#include "trace/run/side_column.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

SideColumn<int> squares() {
  SideColumn<int> column;
  for (const std::uint32_t row : {2u, 3u, 7u}) column.add(row, static_cast<int>(row * row));
  return column;
}

TEST(SideColumn, HasAValueForSomeRows) {
  const SideColumn<int> column = squares();
  EXPECT_EQ(column.value_or(3, -1), 9);
  EXPECT_EQ(column.value_or(4, -1), -1);
  EXPECT_EQ(column.find(0), nullptr);
  EXPECT_EQ(column.find(8), nullptr);
}

TEST(SideColumn, ACursorFindsRowsInAnyOrder) {
  const SideColumn<int> column = squares();
  auto cursor = column.cursor();
  for (const std::uint32_t row : {0u, 2u, 2u, 5u, 7u, 9u, 3u, 2u, 7u, 1u})
    EXPECT_EQ(cursor.find(row), column.find(row)) << row;
}

TEST(SideColumn, TheLastValueOfARowCounts) {
  SideColumn<int> column = squares();
  column.add(7, 50);
  EXPECT_EQ(column.size(), 3u);
  EXPECT_EQ(column.value_or(7, -1), 50);
}

TEST(SideColumn, BlocksAreAppendedBehindEachOther) {
  SideColumn<int> column = squares();
  column.append(squares(), 10);
  EXPECT_EQ(column.size(), 6u);
  EXPECT_EQ(column.value_or(13, -1), 9);
}

}  // namespace
}  // namespace laptime
