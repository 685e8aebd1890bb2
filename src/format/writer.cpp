#include "format/writer.h"

#include <cstring>

#include "format/part.h"

namespace laptime {

void append_fact_frames(Bytes& out, std::uint32_t part, const std::vector<Fact>& facts,
                        Codec codec) {
  constexpr std::size_t kSplit = 4u << 20;
  for (std::size_t i = 0; i < facts.size();) {
    Bytes payload;
    ByteWriter(payload).varint(part);
    while (i < facts.size() && payload.size() < kSplit) append_fact(payload, facts[i++]);
    append_frame(out, FrameType::facts, codec, payload);
  }
}

Result<LapWriter> LapWriter::create(Sink& sink) {
  LapWriter writer(sink);
  Bytes header(kLapMagic, kLapMagic + sizeof kLapMagic);
  const std::uint32_t fields[2] = {kFormatVersion, 0};
  ByteWriter(header).append(fields, sizeof fields);
  RETURN_IF_ERROR(writer.write(header));
  return writer;
}

Status LapWriter::write(ByteView bytes) {
  RETURN_IF_ERROR(sink_->write(bytes));
  offset_ += bytes.size();
  return {};
}

Status LapWriter::add_facts(std::uint32_t part, const std::vector<Fact>& facts) {
  Bytes frames;
  append_fact_frames(frames, part, facts, Codec::zstd);
  for (std::size_t at = 0; at < frames.size(); at += parse_frame(frames, at)->total_size)
    footer_.facts.push_back(offset_ + at);
  return write(frames);
}

Status LapWriter::add_frames(ByteView frames) {
  for (std::size_t at = 0; at < frames.size();) {
    const auto frame = parse_frame(frames, at);
    const auto block = frame ? parse_block(*frame) : std::nullopt;
    if (!block) return fail(ErrorKind::bad_file, "internal: a block that does not parse");
    footer_.index.push_back({block->summary, offset_ + at});
    at += frame->total_size;
  }
  return write(frames);
}

Status LapWriter::add_block(std::uint32_t part, const Block& block) {
  BlockSummary summary = block.summary;
  summary.part = part;
  Bytes payload;
  ByteWriter out(payload);
  append_summary(out, summary);
  out.append(block.columns.data(), block.columns.size());
  Bytes frame;
  append_frame(frame, FrameType::block, Codec::raw, payload);
  return add_frames(frame);
}

Status LapWriter::finish() {
  const std::uint64_t footer_at = offset_;
  Bytes out;
  append_frame(out, FrameType::footer, Codec::zstd, encode_footer(footer_));
  ByteWriter writer(out);
  writer.append(&footer_at, sizeof footer_at);
  writer.append(kLapEndMagic, sizeof kLapEndMagic);
  return write(out);
}

}  // namespace laptime
