#include "record/slot_pool.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <numeric>
#include <thread>

namespace laptime::record {
namespace {

TEST(SlotPool, TakesFullSlotsInTheOrderTheyWerePushed) {
  SlotPool pool(8);
  for (const std::uint32_t slot : {3u, 1u, 7u}) pool.push_full(slot);
  EXPECT_EQ(pool.take_full(), (std::vector<std::uint32_t>{3, 1, 7}));
  EXPECT_TRUE(pool.take_full().empty());
}

TEST(SlotPool, NoSlotIsLostOrGivenTwiceUnderContention) {
  constexpr std::uint32_t kSlots = 64;
  SlotPool pool(kSlots);
  for (std::uint32_t i = 0; i < kSlots; ++i) pool.push_free(i);
  std::vector<std::atomic<int>> owners(kSlots);
  std::atomic<bool> doubled{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i) {
        const auto slot = pool.pop_free();
        if (!slot) continue;
        if (owners[*slot].fetch_add(1) != 0) doubled = true;
        owners[*slot].fetch_sub(1);
        if (i % 2)
          pool.push_full(*slot);
        else
          pool.push_free(*slot);
        if (i % 16 == 0)
          for (const std::uint32_t full : pool.take_full()) pool.push_free(full);
      }
    });
  for (auto& thread : threads) thread.join();
  for (const std::uint32_t full : pool.take_full()) pool.push_free(full);
  std::vector<std::uint32_t> all;
  while (const auto slot = pool.pop_free()) all.push_back(*slot);
  std::sort(all.begin(), all.end());
  std::vector<std::uint32_t> expected(kSlots);
  std::iota(expected.begin(), expected.end(), 0u);
  EXPECT_EQ(all, expected);
  EXPECT_FALSE(doubled);
}

}  // namespace
}  // namespace laptime::record
