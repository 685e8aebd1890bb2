#include "base/flat_map.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace laptime {
namespace {

TEST(FlatMap, HoldsWhatAMapHolds) {
  std::mt19937_64 random(7);
  FlatMap<int> flat;
  std::map<std::uint64_t, int> judge;
  EXPECT_EQ(flat.find(1), nullptr);
  for (int i = 0; i < 20'000; ++i) {
    // Consecutive, spread out, and far apart by powers of two.
    const std::uint64_t key = 1 + (i % 3 == 0   ? static_cast<std::uint64_t>(i)
                                   : i % 3 == 1 ? random() >> 1
                                                : (random() % 4096) << 40);
    flat[key] += i;
    judge[key] += i;
  }
  EXPECT_EQ(flat.size(), judge.size());
  for (const auto& [key, value] : judge) {
    ASSERT_NE(flat.find(key), nullptr);
    EXPECT_EQ(*flat.find(key), value);
  }
  EXPECT_EQ(flat.find(~0ull), nullptr);
}

}  // namespace
}  // namespace laptime
