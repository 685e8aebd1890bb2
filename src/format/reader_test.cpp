#include "format/reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cstring>

#include "base/testing/memory_sink.h"
#include "format/part.h"
#include "format/seal.h"
#include "format/testing/warnings.h"
#include "format/writer.h"

namespace laptime {
namespace {

SpanColumns some_spans(std::size_t rows, std::int64_t from) {
  SpanColumns spans;
  for (std::size_t i = 0; i < rows; ++i) {
    spans.start.push_back(from + static_cast<std::int64_t>(i) * 10);
    spans.duration.push_back(7);
    spans.name.push_back(1);
    spans.kind.push_back(SpanKind::scope);
  }
  return spans;
}

Bytes sample_file(std::size_t rows = 10'000, int blocks = 3) {
  MemorySink sink;
  auto writer = LapWriter::create(sink);
  const std::uint32_t part = writer->add_part();
  EXPECT_TRUE(
      writer->add_facts(part, {StringFact{1, "forward"}, TrackFact{65536, TrackKind::thread, 1, 0},
                               WarningFact{0, Severity::warning, 5, "some_warning", "said why"}}));
  for (int b = 0; b < blocks; ++b)
    EXPECT_TRUE(writer->add_rows(part, 65536, some_spans(rows, b * 1'000'000)));
  EXPECT_TRUE(writer->finish());
  return sink.data;
}

std::size_t rows_of(const RunContent& run) {
  std::size_t rows = 0;
  for (const PartContent& part : run.parts)
    for (const Block& block : part.blocks) {
      SpanColumns spans;
      if (decode_block(block, spans)) rows += spans.size();
    }
  return rows;
}

TEST(SealedReader, ReadsWhatTheWriterWrote) {
  const Bytes file = sample_file();
  const auto run = read_sealed(file, "x.lap");
  ASSERT_TRUE(run);
  EXPECT_EQ(rows_of(*run), 30'000u);
  EXPECT_EQ(warning_of(*run, "some_warning"), 5u);
  EXPECT_EQ(run->parts.at(0).facts.size(), 2u);
  EXPECT_EQ(warning_of(*run, "missing_footer"), 0u);
}

TEST(Facts, PropertiesKeepTheirTypes) {
  Bytes payload;
  append_fact(payload, PropertyFact{"text", "12"});
  append_fact(payload, PropertyFact{"integer", std::int64_t{-12}});
  append_fact(payload, PropertyFact{"real", 1.25});
  append_fact(payload, DevicePropertyFact{{DeviceKind::cuda, 3}, "clock_hz", INT64_MAX});
  append_fact(payload, DeviceFact{7, {DeviceKind::cuda, 300}});
  std::vector<Fact> facts;
  ASSERT_TRUE(for_each_fact(payload, [&](const Fact& fact) { facts.push_back(fact); }));
  ASSERT_EQ(facts.size(), 5u);
  EXPECT_EQ(std::get<PropertyFact>(facts[0]).value, PropertyValue(std::string_view("12")));
  EXPECT_EQ(std::get<PropertyFact>(facts[1]).value, PropertyValue(std::int64_t{-12}));
  EXPECT_EQ(std::get<PropertyFact>(facts[2]).value, PropertyValue(1.25));
  const auto& of_device = std::get<DevicePropertyFact>(facts[3]);
  EXPECT_EQ(of_device.device, (Device{DeviceKind::cuda, 3}));
  EXPECT_EQ(of_device.key, "clock_hz");
  EXPECT_EQ(of_device.value, PropertyValue(INT64_MAX));
  EXPECT_EQ(std::get<DeviceFact>(facts[4]).name, 7u);
  EXPECT_EQ(std::get<DeviceFact>(facts[4]).device.index, 300u);
}

TEST(Facts, APropertyOfAnUnknownTypeIsSkipped) {
  Bytes payload;
  append_fact(payload, PropertyFact{"key", std::int64_t{1}});
  payload[payload.size() - 2] = 99;  // the value's type
  append_fact(payload, PropertyFact{"next", std::int64_t{2}});
  std::vector<Fact> facts;
  ASSERT_TRUE(for_each_fact(payload, [&](const Fact& fact) { facts.push_back(fact); }));
  ASSERT_EQ(facts.size(), 1u);
  EXPECT_EQ(std::get<PropertyFact>(facts[0]).key, "next");
}

TEST(SealedReader, SaysWhatIsWrongInOneLine) {
  const Bytes text = {'h', 'e', 'l', 'l', 'o', ' ', 'w', 'o', 'r',
                      'l', 'd', ',', ' ', 'a', 'l', 'l', '\n'};
  EXPECT_NE(read_sealed(text, "notes.txt").error().message.find("notes.txt is not a laptime run"),
            std::string::npos);
  EXPECT_EQ(read_sealed({}, "x.lap").error().message, "x.lap is empty");
  Bytes newer = sample_file();
  newer[8] = 9;
  EXPECT_EQ(read_sealed(newer, "x.lap").error().message,
            "x.lap has format version 9; this laptime reads up to 2: update laptime");
  newer[8] = 1;
  EXPECT_EQ(read_sealed(newer, "x.lap").error().message,
            "x.lap has format version 1; this laptime reads 2 and later: record the run again");
}

TEST(SealedReader, EveryTruncationGivesTheBlocksBeforeIt) {
  const Bytes file = sample_file(500, 4);
  std::size_t last = 0;
  for (std::size_t size = 0; size < file.size(); size += 7) {
    const auto run = read_sealed(ByteView(file).first(size), "x.lap");
    if (!run) continue;
    const std::size_t rows = rows_of(*run);
    EXPECT_EQ(rows % 500, 0u);
    EXPECT_GE(rows, last);
    last = rows;
    EXPECT_EQ(warning_of(*run, "missing_footer"), 1u);
  }
  EXPECT_EQ(last, 2000u);
}

TEST(SealedReader, ADamagedBlockCostsOnlyItself) {
  Bytes file = sample_file(10'000, 3);
  const auto whole = read_sealed(file, "x.lap");
  const std::size_t inside =
      static_cast<std::size_t>(whole->parts[0].blocks[1].columns.data() - file.data()) + 40;
  file[inside] ^= 0x10;
  const auto run = read_sealed(file, "x.lap");
  ASSERT_TRUE(run);
  EXPECT_EQ(rows_of(*run), 20'000u);
}

TEST(SealedReader, LevelsOfDetailSumUpTheBlocks) {
  const Bytes file = sample_file(10, 600);
  const auto run = read_sealed(file, "x.lap");
  ASSERT_TRUE(run);
  ASSERT_EQ(run->detail.levels.size(), 3u);
  EXPECT_EQ(run->detail.levels[0].size(), 38u);  // 600 blocks by 16
  ASSERT_EQ(run->detail.levels.back().size(), 1u);
  EXPECT_EQ(run->detail.levels.back()[0].summary.rows, 6000u);
  EXPECT_EQ(run->detail.levels.back()[0].summary.total_ns, 42'000u);
}

TEST(Seal, MergesSmallBlocksAndKeepsEveryRow) {
  const Bytes file = sample_file(100, 200);
  const auto run = read_sealed(file, "x.lap");
  MemorySink sink;
  ASSERT_TRUE(seal(*run, sink));
  const auto sealed = read_sealed(sink.data, "y.lap");
  ASSERT_TRUE(sealed);
  EXPECT_EQ(rows_of(*sealed), 20'000u);
  EXPECT_LE(sealed->parts[0].blocks.size(), 3u);
  EXPECT_EQ(warning_of(*sealed, "some_warning"), 5u);
  EXPECT_LT(sink.data.size(), file.size());
}

TEST(Seal, LeavesOutAndCountsDamage) {
  Bytes file = sample_file(10'000, 2);
  const auto whole = read_sealed(file, "x.lap");
  file[static_cast<std::size_t>(whole->parts[0].blocks[0].columns.data() - file.data()) + 5] ^= 1;
  MemorySink sink;
  ASSERT_TRUE(seal(*read_sealed(file, "x.lap"), sink));
  const auto sealed = read_sealed(sink.data, "y.lap");
  EXPECT_EQ(rows_of(*sealed), 10'000u);
  EXPECT_EQ(warning_of(*sealed, "damaged_chunk"), 1u);
}

// On a full tmpfs, reading a hole raises SIGBUS.
TEST(PartReader, HolesAreNotTouched) {
  const std::string path = "/dev/shm/laptime-sparse-" + std::to_string(::getpid()) + ".part";
  constexpr std::size_t kSlots = 64, kSize = kPageSize + kSlots * kSlotSize;
  {
    const UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!fd) GTEST_SKIP() << "no /dev/shm";
    ASSERT_EQ(::ftruncate(fd.get(), kSize), 0);
    PartHeader header{};
    std::memcpy(header.magic, kPartMagic, 8);
    header.version = kFormatVersion;
    header.slot_size = kSlotSize;
    header.slot_count = kSlots;
    header.log_offset = kSize;
    header.ns_per_tick = 1;
    ASSERT_EQ(
        pwrite_fully(fd.get(), {reinterpret_cast<const std::uint8_t*>(&header), sizeof header}, 0),
        0);
    SlotHeader slot{};
    slot.state = SlotState::full;
    slot.sequence = 1;
    ASSERT_EQ(pwrite_fully(fd.get(), {reinterpret_cast<const std::uint8_t*>(&slot), sizeof slot},
                           kPageSize + 40 * kSlotSize),
              0);
  }
  const WrittenParts written = WrittenParts::of(path);
  EXPECT_TRUE(written.has(0));
  EXPECT_TRUE(written.has(kPageSize + 40 * kSlotSize));
  if (written.has(kPageSize + 20 * kSlotSize)) GTEST_SKIP() << "it is no tmpfs";
  const auto map = MappedFile::open(path);
  ASSERT_TRUE(map);
  // Reading what was not written ends the process.
  ASSERT_EQ(::mprotect(const_cast<std::uint8_t*>(map->bytes().data()) + kPageSize, 39 * kSlotSize,
                       PROT_NONE),
            0);
  RunContent run;
  EXPECT_TRUE(read_part(run, map->bytes(), path, {}, written));
  ::unlink(path.c_str());
}

TEST(PartReader, RefusesAHeaderThatLies) {
  alignas(8) static std::uint8_t page[kPageSize] = {};
  auto* header = reinterpret_cast<PartHeader*>(page);
  std::memcpy(header->magic, kPartMagic, 8);
  header->version = kFormatVersion;
  header->slot_size = kSlotSize;
  header->slot_count = 1u << 30;
  header->log_offset = 12;
  header->ns_per_tick = 1;
  RunContent run;
  EXPECT_FALSE(read_part(run, {page, kPageSize}, "x"));
  header->log_offset = kPageSize + std::uint64_t{header->slot_count} *
                                       kSlotSize;  // consistent, but far past the file
  EXPECT_TRUE(read_part(run, {page, kPageSize}, "x"));
  EXPECT_EQ(rows_of(run), 0u);
}

}  // namespace
}  // namespace laptime
