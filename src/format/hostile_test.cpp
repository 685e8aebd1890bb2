// Files with false numbers that would make a reader allocate or work without bound.
#include <gtest/gtest.h>

#include "base/testing/memory_sink.h"
#include "format/frame.h"
#include "format/reader.h"
#include "format/testing/warnings.h"
#include "format/writer.h"

namespace laptime {
namespace {

Bytes header() {
  MemorySink sink;
  EXPECT_TRUE(LapWriter::create(sink));
  return sink.data;
}

void append_footer(Bytes& file, ByteView payload) {
  const std::uint64_t at = file.size();
  append_frame(file, FrameType::footer, Codec::zstd, payload);
  ByteWriter out(file);
  out.append(&at, sizeof at);
  out.append("LAPEND\0", 8);
}

TEST(HostileFile, CannotClaimMorePartsThanItHasRoomFor) {
  Bytes file = header();
  append_fact_frames(file, 0, {StringFact{1, "a"}}, Codec::raw);
  append_fact_frames(file, 60'000, {StringFact{1, "b"}}, Codec::raw);
  const auto run = read_sealed(file, "x.lap");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->parts.size(), 1u);
  EXPECT_EQ(warning_of(*run, "damaged_chunk"), 1u);
}

TEST(HostileFile, FooterCannotCountMoreFramesThanTheFileHasRoomFor) {
  Bytes payload;
  ByteWriter out(payload);
  out.varint(1);                                 // parts
  out.varint(0);                                 // facts
  out.varint(30u << 20);                         // index entries …
  payload.resize(payload.size() + (30u << 20));  // … and zeros for them, which compress to nothing
  Bytes file = header();
  append_fact_frames(file, 0, {StringFact{1, "a"}}, Codec::raw);
  append_footer(file, payload);
  EXPECT_LT(file.size(), 10'000u);
  EXPECT_FALSE(decode_footer(payload, file.size() / kFrameHeaderSize));
  const auto run = read_sealed(file, "x.lap");
  ASSERT_TRUE(run);
  EXPECT_EQ(warning_of(*run, "missing_footer"), 1u);
  EXPECT_EQ(run->parts.at(0).facts.size(), 1u);
}

TEST(HostileFile, IndexCannotMakeOneFrameCountForEver) {
  Bytes file = header();
  // Incompressible, so that one frame is a large part of the file.
  std::string text(1u << 20, 'x');
  std::uint32_t state = 1;
  for (char& c : text) c = static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
  const std::uint64_t at = file.size();
  append_fact_frames(file, 0, {StringFact{1, text}}, Codec::raw);
  Bytes payload;
  ByteWriter out(payload);
  constexpr std::uint64_t kRepeats = 10'000;
  out.varint(1);
  out.varint(kRepeats);
  for (std::uint64_t i = 0; i < kRepeats; ++i) out.varint(at);
  out.varint(0);  // index entries
  out.varint(0);  // levels
  append_footer(file, payload);
  const auto run = read_sealed(file, "x.lap");
  ASSERT_TRUE(run);
  EXPECT_EQ(warning_of(*run, "missing_footer"), 0u);
  EXPECT_GE(run->parts.at(0).facts.size(), 1u);
  EXPECT_LT(run->parts.at(0).facts.size(), 100u);
  EXPECT_GT(warning_of(*run, "damaged_chunk"), kRepeats - 100);
}

}  // namespace
}  // namespace laptime
