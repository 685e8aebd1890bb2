#include "tables/run/table.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

Table sample() {
  return {"t",
          "T",
          {{"name", ColumnType::text}, {"n", ColumnType::integer}, {"x", ColumnType::real}},
          {{"b", std::int64_t{1}, 2.5},
           {"a", kUnknown, 7.0},
           {"c", std::int64_t{3}, kUnknown},
           {"d", std::int64_t{1}, 9.0}}};
}

std::string names(const Table& table) {
  std::string all;
  for (const Row& row : table.rows) all += std::get<std::string>(row[0]);
  return all;
}

TEST(Table, SortsNumbersDownTextsUpUnknownsLast) {
  Table table = sample();
  ASSERT_TRUE(sort_by(table, "n"));
  EXPECT_EQ(names(table), "cbda");
  ASSERT_TRUE(sort_by(table, "x"));
  EXPECT_EQ(names(table), "dabc");
  ASSERT_TRUE(sort_by(table, "name"));
  EXPECT_EQ(names(table), "abcd");
}

TEST(Table, AnUnknownColumnIsAnErrorThatNamesTheColumns) {
  Table table = sample();
  const Status status = sort_by(table, "size");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "table t has no column 'size'; its columns are name, n, x");
}

TEST(Table, KeepsTheTop) {
  Table table = sample();
  keep_top(table, 2);
  EXPECT_EQ(names(table), "ba");
  keep_top(table, 5);
  EXPECT_EQ(names(table), "ba");
}

TEST(Table, UnitsAreFoundByTheirNames) {
  for (const Unit unit : {Unit::none, Unit::ns, Unit::bytes, Unit::share, Unit::count,
                          Unit::per_second, Unit::factor})
    EXPECT_EQ(unit_from_name(unit_name(unit)), unit);
  EXPECT_EQ(unit_from_name("miles"), Unit::none);
}

TEST(Table, ARatioOverNothingIsUnknown) {
  EXPECT_EQ(ratio_cell(1, 0), kUnknown);
  EXPECT_EQ(ratio_cell(1, 4), Cell(0.25));
}

TEST(Table, KeepsColumnsInTheirOrder) {
  Table table{"t",
              "T",
              {{"a", ColumnType::text}, {"b", ColumnType::text}, {"c", ColumnType::text}},
              {{"1", "2", "3"}}};
  constexpr std::string_view kNames[] = {"c", "a", "none"};
  keep_columns(table, kNames);
  ASSERT_EQ(table.columns.size(), 2u);
  EXPECT_EQ(table.columns[1].name, "c");
  EXPECT_EQ(table.rows[0], (Row{"1", "3"}));
}

TEST(Table, SortsByTorchsNamesToo) {
  Table table{"t", "T", {{"cpu_ns", ColumnType::integer}}, {{std::int64_t{1}}, {std::int64_t{2}}}};
  ASSERT_TRUE(sort_by(table, "cpu_time_total"));
  EXPECT_EQ(table.rows[0][0], Cell(std::int64_t{2}));
  EXPECT_FALSE(sort_by(table, "cuda_time_total"));
}

}  // namespace
}  // namespace laptime
