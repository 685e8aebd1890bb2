#include "format/block.h"

#include <gtest/gtest.h>
#include <bit>
#include <random>
#include <tuple>

namespace laptime {
namespace {

SpanColumns random_spans(std::size_t rows, bool links, bool args) {
  std::mt19937_64 random(rows + 2 * links + args);
  SpanColumns spans;
  std::int64_t end = -50;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto duration = static_cast<std::int64_t>(random() % (i % 7 ? 3000 : 3'000'000'000));
    end += static_cast<std::int64_t>(random() % 5000) - 1000;
    spans.start.push_back(end - duration);
    spans.duration.push_back(duration);
    spans.name.push_back(static_cast<std::uint32_t>(random() % 300));
    spans.kind.push_back(static_cast<SpanKind>(random() % 5));
    if (links) spans.link.push_back(i % 3 != 1 ? random() : 0);
    for (std::uint64_t a = 0; args && a < random() % 3; ++a) {
      spans.args.row.push_back(static_cast<std::uint32_t>(i));
      const auto number = static_cast<std::uint32_t>(random() % 9);
      spans.args.key.push_back(random() % 2 == 0 ? named_key(number)
                                                 : static_cast<ArgKey>(kWellKnownKey | number));
      spans.args.type.push_back(static_cast<ArgType>(random() % 5));
      spans.args.value.push_back(random() >> (random() % 64));
    }
  }
  return spans;
}

std::vector<Block> blocks_of(const Bytes& frames) {
  std::vector<Block> blocks;
  for (std::size_t at = 0; at < frames.size();) {
    const auto frame = parse_frame(frames, at);
    if (!frame) break;
    const auto block = parse_block(*frame);
    if (!block) break;
    blocks.push_back(*block);
    at += frame->total_size;
  }
  return blocks;
}

class SpanRoundTrip : public ::testing::TestWithParam<std::tuple<std::size_t, bool, bool>> {};

TEST_P(SpanRoundTrip, ReturnsEveryRow) {
  const auto [rows, links, args] = GetParam();
  const SpanColumns spans = random_spans(rows, links, args);
  Bytes frames;
  append_blocks(frames, 3, 7, spans);
  SpanColumns back;
  std::uint64_t total = 0;
  for (const Block& block : blocks_of(frames)) {
    EXPECT_EQ(block.summary.part, 3u);
    EXPECT_EQ(block.summary.track, 7u);
    total += block.summary.total_ns;
    ASSERT_TRUE(decode_block(block, back));
  }
  EXPECT_EQ(back.start, spans.start);
  EXPECT_EQ(back.duration, spans.duration);
  EXPECT_EQ(back.name, spans.name);
  EXPECT_EQ(back.kind, spans.kind);
  EXPECT_EQ(back.link, spans.link);
  EXPECT_EQ(back.args.row, spans.args.row);
  EXPECT_EQ(back.args.key, spans.args.key);
  EXPECT_EQ(back.args.type, spans.args.type);
  EXPECT_EQ(back.args.value, spans.args.value);
  std::uint64_t expected = 0;
  for (const std::int64_t d : spans.duration) expected += static_cast<std::uint64_t>(d);
  EXPECT_EQ(total, expected);
}

INSTANTIATE_TEST_SUITE_P(Sizes, SpanRoundTrip,
                         ::testing::Combine(::testing::Values(1, 2, 100, kMaxBlockRows,
                                                              kMaxBlockRows + 17),
                                            ::testing::Bool(), ::testing::Bool()));

TEST(Block, SummaryHasRangeAndLongest) {
  SpanColumns spans;
  spans.start = {10, 0, 30};
  spans.duration = {5, 40, 1};
  spans.name = {1, 2, 3};
  spans.kind.assign(3, SpanKind::scope);
  Bytes frames;
  append_blocks(frames, 0, 1, spans);
  const BlockSummary s = blocks_of(frames).at(0).summary;
  EXPECT_EQ(s.first_ns, 0);
  EXPECT_EQ(s.last_ns, 40);
  EXPECT_EQ(s.longest_ns, 40u);
  EXPECT_EQ(s.longest_name, 2u);
  EXPECT_EQ(s.total_ns, 46u);
}

TEST(Block, ValuesAndTalliesComeBack) {
  ValueColumns values;
  TallyColumns tallies;
  std::mt19937_64 random(5);
  for (int i = 0; i < 1000; ++i) {
    values.time.push_back(i * 100);
    values.name.push_back(static_cast<std::uint32_t>(i % 3));
    values.value.push_back(i % 10 ? 1.0 / (i + 1) : -0.0);
    tallies.kind.push_back(i % 2 ? TallyKind::line : TallyKind::call);
    for (auto* column : {&tallies.step, &tallies.code, &tallies.where})
      column->push_back(static_cast<std::uint32_t>(random()));
    for (auto* column : {&tallies.hits, &tallies.inclusive, &tallies.exclusive, &tallies.extra_hits,
                         &tallies.extra_ns})
      column->push_back(random());
  }
  Bytes frames;
  append_blocks(frames, 0, 1, values);
  append_blocks(frames, 0, 1, tallies);
  const auto blocks = blocks_of(frames);
  ASSERT_EQ(blocks.size(), 2u);
  ValueColumns values_back;
  TallyColumns tallies_back;
  ASSERT_TRUE(decode_block(blocks[0], values_back));
  ASSERT_TRUE(decode_block(blocks[1], tallies_back));
  EXPECT_EQ(values_back.time, values.time);
  EXPECT_EQ(values_back.value, values.value);
  EXPECT_EQ(tallies_back.where, tallies.where);
  EXPECT_EQ(tallies_back.extra_ns, tallies.extra_ns);
}

TEST(Block, EveryFlippedBitIsNoticed) {
  Bytes frames;
  append_blocks(frames, 0, 1, random_spans(20, true, true));
  for (std::size_t bit = 0; bit < frames.size() * 8; ++bit) {
    Bytes damaged = frames;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    SpanColumns back;
    const auto blocks = blocks_of(damaged);
    EXPECT_TRUE(blocks.empty() || !decode_block(blocks[0], back)) << "bit " << bit;
  }
}

}  // namespace
}  // namespace laptime
