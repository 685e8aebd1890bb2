#include "collect/torch/remembered.h"

#include <gtest/gtest.h>

namespace laptime::torch {
namespace {

struct Number {
  struct Key {
    std::uint64_t number = 0;

    bool operator==(const Key&) const = default;
    std::uint64_t hash() const { return spread(number); }
  };
  std::uint64_t number = 0, value = 0;

  bool is_free() const { return number == 0; }
  Key key() const { return {number}; }
};

TEST(Remembered, GrowsWithoutForgetting) {
  Remembered<Number> table;
  EXPECT_EQ(table.find({1}), nullptr);
  for (std::uint64_t i = 1; i <= 10'000; ++i) ASSERT_NE(table.add({i << 4, i}), nullptr);
  for (std::uint64_t i = 1; i <= 10'000; ++i) {
    const Number* const found = table.find({i << 4});
    ASSERT_NE(found, nullptr);
    ASSERT_EQ(found->value, i);
  }
  EXPECT_EQ(table.find({3}), nullptr);
}

TEST(Remembered, ForgetsAllWhenThereIsTooMuchAndGoesOn) {
  Remembered<Number> table;
  for (std::uint64_t i = 1; i <= 1'000'000; ++i) {
    Number* const added = table.add({i, i});
    ASSERT_NE(added, nullptr);
    ASSERT_EQ(table.find({i}), added);
  }
  EXPECT_EQ(table.find({1}), nullptr);
  table.clear();
  EXPECT_EQ(table.find({1'000'000}), nullptr);
}

TEST(Remembered, AnEntryMayBeChangedInItsPlace) {
  Remembered<Number> table;
  table.add({7, 1});
  table.find({7})->value = 2;
  EXPECT_EQ(table.find({7})->value, 2u);
}

}  // namespace
}  // namespace laptime::torch
