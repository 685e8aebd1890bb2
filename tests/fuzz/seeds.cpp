#include "seeds.h"

#include <bit>
#include <cstring>
#include <new>

#include "base/testing/memory_sink.h"
#include "format/frame.h"
#include "format/part.h"
#include "format/raw_batch.h"
#include "format/writer.h"

namespace laptime::fuzz {

namespace {

constexpr std::uint32_t kThread = kFirstThreadTrack;
constexpr std::uint32_t kStream = 1;

std::vector<Fact> facts() {
  return {StringFact{1, "forward"},
          StringFact{2, "train.py"},
          StringFact{3, "bytes"},
          StringFact{4, "trainer"},
          TrackFact{kThread, TrackKind::thread, 4242, 4},
          TrackFact{kStream, TrackKind::stream, 7, 0},
          PropertyFact{"pid", 4242},
          PropertyFact{"command", "./train --steps 10"},
          ClockFact{0, 1'000'000, 1'700'000'000'000'000'000},
          ClockFact{5'000'000, 6'000'100, 1'700'000'000'005'000'000},
          WarningFact{0, Severity::warning, 3, "memory_limit", "records were dropped"},
          CodeFact{1, 2, 1, 10, kCodeBuiltin},
          CodeFact{2, 2, 4, 20, 0},
          CallFrameFact{1, 0, 1, 3},
          CallFrameFact{2, 1, 2, 21},
          CallSiteFact{1, 2, 21, 1, 2},
          SourceFact{2, 6, "a = 1\n"}};
}

SpanColumns spans(std::size_t count, bool linked) {
  SpanColumns columns;
  for (std::size_t i = 0; i < count; ++i) {
    columns.start.push_back(static_cast<std::int64_t>(i * 1000 + i % 7));
    columns.duration.push_back(static_cast<std::int64_t>(500 + i % 13));
    columns.name.push_back(1 + i % 4);
    columns.kind.push_back(i % 5 == 4 ? SpanKind::step : SpanKind::scope);
    if (linked) columns.link.push_back(i * 3);
    if (!linked || i % 3 != 0) continue;
    columns.args.row.push_back(static_cast<std::uint32_t>(i));
    columns.args.key.push_back(i % 2 == 0 ? named_key(3) : ArgKey::bytes);
    columns.args.type.push_back(static_cast<ArgType>(i / 3 % 5));
    columns.args.value.push_back(i);
  }
  return columns;
}

ValueColumns values(std::size_t count) {
  ValueColumns columns;
  for (std::size_t i = 0; i < count; ++i) {
    columns.time.push_back(static_cast<std::int64_t>(i * 900));
    columns.name.push_back(3);
    columns.value.push_back(1.0 / static_cast<double>(i + 1));
  }
  return columns;
}

TallyColumns tallies() {
  TallyColumns columns;
  for (std::uint32_t i = 0; i < 6; ++i) {
    columns.kind.push_back(i % 2 ? TallyKind::call : TallyKind::line);
    columns.step.push_back(i / 2);
    columns.code.push_back(1 + i % 2);
    columns.where.push_back(i % 2 ? 1 : 11);
    columns.hits.push_back(i + 1);
    columns.inclusive.push_back(1000 * i);
    columns.exclusive.push_back(900 * i);
    columns.extra_hits.push_back(i);
    columns.extra_ns.push_back(10 * i);
  }
  return columns;
}

// A sealed file of one part with `count` spans, in memory: writing there cannot fail.
Bytes sealed(std::size_t count, bool all_tables) {
  MemorySink sink;
  LapWriter writer = *LapWriter::create(sink);
  const std::uint32_t part = writer.add_part();
  (void)writer.add_facts(part, facts());
  (void)writer.add_rows(part, kThread, spans(count, all_tables));
  if (all_tables) {
    (void)writer.add_rows(part, kStream, spans(3, false));
    (void)writer.add_rows(part, kThread, values(4));
    (void)writer.add_rows(part, kThread, tallies());
    const std::uint32_t second = writer.add_part();
    (void)writer.add_facts(second, facts());
    (void)writer.add_rows(second, kThread, spans(2, false));
  }
  (void)writer.finish();
  return sink.data;
}

void append_log(Bytes& out, std::uint64_t encoded_slot) {
  append_fact_frames(out, 0, facts(), Codec::raw);
  Bytes batch;
  ByteWriter writer(batch);
  writer.varint(1);
  writer.varint(encoded_slot);
  append_blocks(batch, 0, kThread, spans(6, true));
  append_blocks(batch, 0, kThread, values(3));
  append_blocks(batch, 0, kThread, tallies());
  append_frame(out, FrameType::batch, Codec::raw, batch);
}

void fill_slot(Slot& slot, std::uint64_t sequence) {
  const RawRecord records[] = {
      {1000, 2000, 0, 1, 0, static_cast<std::uint8_t>(SpanKind::scope), RecordType::span},
      {0, 64, 0, 3, 0, static_cast<std::uint8_t>(ArgType::integer), RecordType::arg},
      {500, 2500, 9, 2, 0, static_cast<std::uint8_t>(SpanKind::step), RecordType::span},
      {2600, std::bit_cast<std::uint64_t>(0.25), 0, 3, 0, 0, RecordType::value},
      {4, 4000, 3000, 1, 0, static_cast<std::uint8_t>(TallyKind::line), RecordType::tally},
      {2, 0, 0, 11, 0, 0, RecordType::tally_more},
      {2750, 2760, OpLink::pack(1, 1, 5), 1, 0, static_cast<std::uint8_t>(SpanKind::op),
       RecordType::op},
      {2762, LaunchRecord::end(5, 77), OpLink::pack(1, 1, 5), 1, LaunchRecord::track(1, true),
       static_cast<std::uint8_t>(SpanKind::launch), RecordType::launch},
      {2770, 512, 0xA0, 2, 0, static_cast<std::uint8_t>(SpanKind::allocate), RecordType::memory},
      {2800, 2900, 9, 1, kStream, static_cast<std::uint8_t>(SpanKind::kernel), RecordType::span},
  };
  std::memcpy(slot.records, records, sizeof records);
  slot.header.used = std::size(records);
  slot.header.state = SlotState::active;
  slot.header.track = kThread;
  slot.header.sequence = sequence;
}

Bytes part(std::uint32_t slots, PartState state) {
  Bytes bytes(kPageSize + slots * kSlotSize);
  auto* header = new (bytes.data()) PartHeader{};
  std::memcpy(header->magic, kPartMagic, sizeof kPartMagic);
  header->version = kFormatVersion;
  header->slot_size = kSlotSize;
  header->slot_count = slots;
  header->pid = 4242;
  header->log_offset = bytes.size();
  header->ns_per_tick = 0.5;
  header->state = state;
  header->warnings[0] = 3;
  for (std::uint32_t i = 0; i < slots; ++i)
    fill_slot(*new (bytes.data() + kPageSize + i * kSlotSize) Slot, i + 1);
  append_log(bytes, /*encoded_slot=*/99);
  return bytes;
}

}  // namespace

std::vector<Seed> sealed_seeds() {
  // Without its trailer a file is read by looking for frames.
  Bytes cut = sealed(5, true);
  cut.resize(cut.size() - 16);
  return {{"plain", sealed(3, false)},
          {"all_tables", sealed(12, true)},
          {"compressed", sealed(300, true)},
          {"no_trailer", cut}};
}

std::vector<Seed> part_seeds() {
  return {{"finished", part(0, PartState::finished)},
          {"log_only", part(0, PartState::recording)},
          {"one_slot", part(1, PartState::recording)}};
}

}  // namespace laptime::fuzz
