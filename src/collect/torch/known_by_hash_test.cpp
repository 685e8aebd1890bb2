#include "collect/torch/known_by_hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace laptime::torch {
namespace {

std::uint64_t hash_words(const std::vector<std::uint64_t>& words, std::uint64_t seed = 0) {
  WordHash hash(seed);
  for (const std::uint64_t word : words) hash.word(word);
  return hash.value();
}

TEST(WordHash, DistinguishesInputsThatDifferInOneSizeInOrderInLengthOrInTheRule) {
  const std::uint64_t hash = hash_words({0x20601, 64, 128});
  EXPECT_EQ(hash, hash_words({0x20601, 64, 128}));
  EXPECT_NE(hash, hash_words({0x20601, 128, 64}));
  EXPECT_NE(hash, hash_words({0x20601, 64, 129}));
  EXPECT_NE(hash, hash_words({0x20601, 64}));
  EXPECT_NE(hash, hash_words({0x20601, 64, 128, 0}));
  EXPECT_NE(hash, hash_words({0x20601, 64, 128}, 1));
  EXPECT_NE(hash_words({0, 0}), hash_words({0, 0, 0}));
}

TEST(WordHash, AMillionShapesHaveAMillionHashes) {
  std::set<std::uint64_t> hashes;
  for (std::uint64_t rows = 0; rows < 1000; ++rows)
    for (std::uint64_t columns = 0; columns < 1000; ++columns)
      hashes.insert(hash_words({0x20601, rows, columns, 0x10601, columns}));
  EXPECT_EQ(hashes.size(), 1'000'000u);
}

TEST(WordHash, TextsDifferInAnyCharacter) {
  const std::string text = "autograd::engine::evaluate_function: MulBackward0";
  std::set<std::uint64_t> hashes{hash_of(text), hash_of(""), hash_of(std::string(1, '\0'))};
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] ^= 1;
    hashes.insert(hash_of(changed));
    hashes.insert(hash_of(text.substr(0, i + 1)));
  }
  EXPECT_EQ(hashes.size(), 2 * text.size() + 2) << "the whole text is among its beginnings";
  EXPECT_EQ(hash_of(std::string(text)), hash_of(text));
}

TEST(KnownByHash, ForgetsNoneOfThoseThatItHasRoomFor) {
  constexpr std::uint64_t kMost = 1u << 16;
  KnownByHash<std::uint16_t, kMost> known;
  EXPECT_EQ(known.find(hash_words({1})), nullptr);
  for (std::uint64_t i = 0; i < kMost; ++i) {
    ASSERT_FALSE(known.is_full());
    known.add(hash_words({i}), static_cast<std::uint16_t>(i));
  }
  EXPECT_TRUE(known.is_full());
  for (std::uint64_t i = 0; i < kMost; ++i) {
    const std::uint16_t* const value = known.find(hash_words({i}));
    ASSERT_NE(value, nullptr) << i;
    ASSERT_EQ(*value, static_cast<std::uint16_t>(i));
  }
  EXPECT_EQ(known.find(hash_words({kMost})), nullptr);
}

}  // namespace
}  // namespace laptime::torch
