#include "format/sources/source_text.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <random>

#include "base/testing/memory_sink.h"
#include "format/seal.h"
#include "format/sources/stored_sources.h"
#include "format/testing/warnings.h"
#include "format/writer.h"

namespace laptime {
namespace {

std::string random_text(std::size_t size) {
  std::mt19937 random(1);
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

std::string unpacked(const PackedSource& packed) {
  return unpack_source(packed.fact(1).stored, packed.raw_size).value_or("damaged");
}

TEST(SourceText, ComesBackAsItWas) {
  for (const std::string& text : {std::string(), std::string("a"), std::string(100'000, 'x'),
                                  random_text(1000), std::string(kMaxSourceText, 'y')})
    EXPECT_EQ(unpacked(pack_source(text)), text);
  EXPECT_LT(pack_source(std::string(100'000, 'x')).stored.size(), 1000u);
}

TEST(SourceText, ThatIsDamagedIsNone) {
  PackedSource packed = pack_source(std::string(10'000, 'x'));
  const std::string_view stored = packed.fact(1).stored;
  EXPECT_FALSE(unpack_source(stored, 9'999));
  EXPECT_FALSE(unpack_source(stored, 10'001));
  EXPECT_FALSE(unpack_source(stored, kMaxSourceText + 1));
  EXPECT_FALSE(unpack_source(stored.substr(1), 10'000));
}

// A run of processes that each have one text of a.py.
Bytes run_of(const std::vector<std::string>& texts) {
  MemorySink sink;
  auto writer = LapWriter::create(sink);
  for (const std::string& text : texts) {
    const PackedSource packed = pack_source(text);
    EXPECT_TRUE(writer->add_facts(writer->add_part(),
                                  {StringFact{7, "a.py"}, packed.fact(7), PropertyFact{"pid", 1}}));
  }
  EXPECT_TRUE(writer->finish());
  return sink.data;
}

std::vector<std::size_t> sources_by_part(const Bytes& file) {
  std::vector<std::size_t> counts;
  const auto run = read_sealed(file, "x.lap");
  for (const PartContent& part : run->parts)
    counts.push_back(static_cast<std::size_t>(std::ranges::count_if(
        part.facts, [](const Fact& fact) { return std::holds_alternative<SourceFact>(fact); })));
  return counts;
}

TEST(SourceText, IsStoredOnceWhenSealed) {
  const Bytes file = run_of({"first", "first", "second", "first"});
  EXPECT_EQ(sources_by_part(file), (std::vector<std::size_t>{1, 1, 1, 1}));
  MemorySink sealed;
  ASSERT_TRUE(seal(*read_sealed(file, "x.lap"), sealed));
  EXPECT_EQ(sources_by_part(sealed.data), (std::vector<std::size_t>{1, 0, 1, 0}));
  EXPECT_EQ(warning_of(*read_sealed(sealed.data, "x.lap"), "source_left_out"), 0u);
}

TEST(SourceText, OfARunIsBounded) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 18; ++i) texts.push_back(random_text(kMaxSourceText - i));
  const Bytes file = run_of(texts);
  MemorySink sealed;
  ASSERT_TRUE(seal(*read_sealed(file, "x.lap"), sealed));
  std::size_t kept = 0;
  for (const std::size_t count : sources_by_part(sealed.data)) kept += count;
  EXPECT_EQ(kept, 16u);
  EXPECT_EQ(warning_of(*read_sealed(sealed.data, "x.lap"), "source_left_out"), 2u);
  EXPECT_LT(sealed.data.size(), kMaxStoredSources + (1u << 20));
}

}  // namespace
}  // namespace laptime
