#include "collect/torch/input_hash.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace laptime::torch {
namespace {

std::uint64_t hash_of(const std::vector<std::int64_t>& words, std::uint64_t seed = 0) {
  InputHash hash(seed);
  for (const std::int64_t word : words) hash.word(word);
  return hash.value();
}

TEST(InputHash, TellsApartWhatDiffersInOneSizeInOrderInLengthOrInTheRule) {
  const std::uint64_t hash = hash_of({0x20601, 64, 128});
  EXPECT_EQ(hash, hash_of({0x20601, 64, 128}));
  EXPECT_NE(hash, hash_of({0x20601, 128, 64}));
  EXPECT_NE(hash, hash_of({0x20601, 64, 129}));
  EXPECT_NE(hash, hash_of({0x20601, 64}));
  EXPECT_NE(hash, hash_of({0x20601, 64, 128, 0}));
  EXPECT_NE(hash, hash_of({0x20601, 64, 128}, 1));
  EXPECT_NE(hash_of({0, 0}), hash_of({0, 0, 0}));
}

TEST(InputHash, AMillionShapesHaveAMillionHashes) {
  std::set<std::uint64_t> hashes;
  for (std::int64_t rows = 0; rows < 1000; ++rows)
    for (std::int64_t columns = 0; columns < 1000; ++columns) hashes.insert(hash_of({0x20601, rows, columns, 0x10601, columns}));
  EXPECT_EQ(hashes.size(), 1'000'000u);
}

TEST(KnownInputs, ForgetsNoneOfThoseThatItHasRoomFor) {
  KnownInputs known;
  EXPECT_EQ(known.find(hash_of({1})), nullptr);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(KnownInputs::kMost); ++i) {
    ASSERT_FALSE(known.is_full());
    known.add(hash_of({i}), static_cast<std::uint16_t>(i));
  }
  EXPECT_TRUE(known.is_full());
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(KnownInputs::kMost); ++i) {
    const KnownInputs::Entry* const entry = known.find(hash_of({i}));
    ASSERT_NE(entry, nullptr) << i;
    ASSERT_EQ(entry->args, static_cast<std::uint16_t>(i));
  }
  EXPECT_EQ(known.find(hash_of({-1})), nullptr);
}

}  // namespace
}  // namespace laptime::torch
