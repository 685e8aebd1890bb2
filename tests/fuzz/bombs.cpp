#include "bombs.h"

#include <functional>
#include <string>

#include "format/frame.h"
#include "format/part.h"
#include "format/writer.h"

namespace laptime::fuzz {

namespace {

constexpr std::uint32_t kThread = kFirstThreadTrack;
constexpr std::size_t kBombBytes = 495'000;
constexpr std::size_t kFactsPayload = 60u << 20;  // below the largest frame

SpanColumns equal_spans(std::size_t count, std::size_t args) {
  SpanColumns columns;
  for (std::size_t i = 0; i < count; ++i) {
    columns.start.push_back(static_cast<std::int64_t>(i * 1000));
    columns.duration.push_back(500);
    columns.name.push_back(1);
    columns.kind.push_back(SpanKind::scope);
  }
  columns.args.row.assign(args, 0);
  columns.args.key.assign(args, named_key(1));
  columns.args.type.assign(args, ArgType::integer);
  columns.args.value.assign(args, 1);
  return columns;
}

TallyColumns equal_tallies() {
  TallyColumns columns;
  columns.kind.assign(kMaxBlockRows, TallyKind::line);
  for (auto* column : {&columns.step, &columns.code, &columns.where})
    column->assign(kMaxBlockRows, 1);
  for (auto* column : {&columns.hits, &columns.inclusive, &columns.exclusive, &columns.extra_hits,
                       &columns.extra_ns})
    column->assign(kMaxBlockRows, 1);
  return columns;
}

// A sealed file under construction, without the checks of a writer.
class RawFile {
 public:
  RawFile() {
    const std::uint64_t version = kFormatVersion;
    ByteWriter out(bytes_);
    out.append(kLapMagic, sizeof kLapMagic);
    out.append(&version, sizeof version);
  }
  std::size_t size() const { return bytes_.size(); }
  void add_facts(std::uint32_t part, const std::function<void(Bytes&, std::size_t)>& append,
                 std::size_t most = kFactsPayload) {
    Bytes payload;
    ByteWriter(payload).varint(part);
    for (std::size_t i = 0; payload.size() < most; ++i) append(payload, i);
    facts_.push_back(bytes_.size());
    append_frame(bytes_, FrameType::facts, Codec::zstd, payload);
  }
  void add_block(const Bytes& frame) {
    const std::size_t before = bytes_.size();
    ByteWriter(bytes_).append(frame.data(), frame.size());
    name_block(before);
  }
  // An index has no more entries than the file has room for frames.
  void pad() { bytes_.insert(bytes_.end(), kBombBytes, 0); }
  void name_block(std::size_t offset) {
    index_.push_back({parse_block(*parse_frame(bytes_, offset))->summary, offset});
  }
  Bytes finish() {
    const std::uint64_t footer = bytes_.size();
    append_frame(bytes_, FrameType::footer, Codec::zstd, encode_footer({1, facts_, index_, {}}));
    ByteWriter out(bytes_);
    out.append(&footer, sizeof footer);
    out.append(kLapEndMagic, sizeof kLapEndMagic);
    return std::move(bytes_);
  }

 private:
  Bytes bytes_;
  std::vector<std::uint64_t> facts_;
  std::vector<IndexEntry> index_;
};

Bytes many_blocks(const Bytes& frame) {
  RawFile file;
  while (file.size() + frame.size() < kBombBytes) file.add_block(frame);
  return file.finish();
}

Bytes one_block_often(const Bytes& frame) {
  RawFile file;
  file.pad();
  const std::size_t at = file.size();
  file.add_block(frame);
  for (int i = 0; i < 15'000; ++i) file.name_block(at);
  return file.finish();
}

template <typename Columns>
Bytes block_of(const Columns& columns) {
  Bytes frame;
  append_block(frame, 0, kThread, columns, 0, columns.size());
  return frame;
}

using FactOf = std::function<Fact(std::size_t)>;

// Facts that differ compress less: there are fewer of them.
Bytes many_facts(const FactOf& fact_of, std::size_t payload = kFactsPayload, int frames = 4) {
  RawFile file;
  const auto append = [&](Bytes& out, std::size_t i) { append_fact(out, fact_of(i)); };
  for (int i = 0; i < frames; ++i) file.add_facts(0, append, payload);
  return file.finish();
}

// Each part's tables are as long as the largest number in them.
Bytes large_ids() {
  RawFile file;
  for (std::uint32_t part = 0; part < 2000; ++part)
    file.add_facts(
        part,
        [](Bytes& out, std::size_t) {
          append_fact(out, StringFact{(1u << 24) - 1, "x"});
          append_fact(out, CodeFact{(1u << 24) - 1, 0, 0, 1, 0});
        },
        20);
  return file.finish();
}

}  // namespace

std::vector<Seed> bombs() {
  static std::string text;
  const auto number = [](std::size_t i) { return std::string_view(text = std::to_string(i)); };
  return {
      {"spans", many_blocks(block_of(equal_spans(kMaxBlockRows, 0)))},
      {"arguments", many_blocks(block_of(equal_spans(kMaxBlockRows, 8u << 20)))},
      {"one_block_often", one_block_often(block_of(equal_spans(kMaxBlockRows, 0)))},
      {"tallies", many_blocks(block_of(equal_tallies()))},
      {"properties", many_facts([](std::size_t) { return PropertyFact{"", ""}; })},
      {"strings",
       many_facts(
           [&](std::size_t i) { return StringFact{static_cast<std::uint32_t>(i), number(i)}; },
           1u << 20, 1)},
      {"tracks", many_facts(
                     [&](std::size_t i) {
                       return TrackFact{static_cast<std::uint32_t>(i), TrackKind::thread, 1, 0};
                     },
                     4u << 20, 1)},
      {"clocks", many_facts([](std::size_t) { return ClockFact{1, 1, 1}; })},
      {"warnings",
       many_facts([&](std::size_t i) { return WarningFact{0, Severity::info, 1, number(i), ""}; },
                  4u << 20, 1)},
      {"argument_facts", many_facts([](std::size_t) { return ArgsFact{1, {}}; })},
      {"large_ids", large_ids()}};
}

Seed long_run() {
  RawFile file;
  Bytes frame = block_of(equal_spans(kMaxBlockRows, 0));
  for (std::size_t rows = 0; rows < 10'000'000; rows += kMaxBlockRows) file.add_block(frame);
  return {"long_run", file.finish()};
}

}  // namespace laptime::fuzz
