#include <algorithm>
#include <cstring>
#include <optional>

#include "format/frame.h"
#include "format/part.h"
#include "format/reader.h"

namespace laptime {

namespace {

constexpr std::size_t kHeaderSize = 16;
constexpr std::size_t kTrailerSize = 16;
constexpr char kDamaged[] = "part of the file is damaged; the rest is shown";

// More parts than this come from a lying file, not from a training run.
constexpr std::uint32_t kMaxParts = 1u << 16;

PartContent* part_at(RunContent& run, std::uint64_t part) {
  if (part >= kMaxParts) return nullptr;
  if (part >= run.parts.size()) run.parts.resize(part + 1);
  return &run.parts[part];
}

void take_facts(RunContent& run, PartContent& part, ByteView entries) {
  const bool whole = for_each_fact(entries, [&](const Fact& fact) {
    if (const auto* loss = std::get_if<LossFact>(&fact))
      run.count_loss(loss->name, loss->severity, loss->count, loss->message);
    else
      part.facts.push_back(fact);
  });
  if (!whole) run.count_loss("damaged_facts", Severity::error, 1, "a list of facts is malformed; what follows in it is left out");
}

Status check_header(ByteView file, const std::string& name) {
  if (file.empty()) return fail(ErrorKind::bad_file, name + " is empty");
  if (file.size() < kHeaderSize || std::memcmp(file.data(), kLapMagic, sizeof kLapMagic) != 0)
    return fail(ErrorKind::bad_file, name + " is not a laptime run (to read another tool's file, see laptime --help)");
  std::uint32_t version;
  std::memcpy(&version, file.data() + 8, 4);
  if (version > kFormatVersion)
    return fail(ErrorKind::bad_file, name + " has format version " + std::to_string(version) + "; this laptime reads up to " +
                                         std::to_string(kFormatVersion) + ": update laptime");
  return {};
}

std::optional<Footer> find_footer(ByteView file) {
  if (file.size() < kHeaderSize + kTrailerSize) return std::nullopt;
  const std::uint8_t* trailer = file.data() + file.size() - kTrailerSize;
  if (std::memcmp(trailer + 8, kLapEndMagic, sizeof kLapEndMagic) != 0) return std::nullopt;
  std::uint64_t offset;
  std::memcpy(&offset, trailer, 8);
  const auto frame = parse_frame(file, offset);
  if (!frame || frame->type != FrameType::footer || !frame->intact()) return std::nullopt;
  Bytes scratch;
  const auto payload = open_payload(*frame, scratch);
  return payload ? decode_footer(*payload) : std::nullopt;
}

// Adds one frame's content; false when it is damaged.
bool take_frame(RunContent& run, ByteView file, std::size_t offset) {
  const auto frame = parse_frame(file, offset);
  if (!frame) return false;
  if (frame->type == FrameType::block) {
    const auto block = parse_block(*frame);
    PartContent* part = block ? part_at(run, block->summary.part) : nullptr;
    if (part) part->blocks.push_back(*block);
    return part != nullptr;
  }
  if (!frame->intact()) return false;
  if (frame->type != FrameType::facts) return true;  // a later version's addition
  Bytes scratch;
  auto payload = open_payload(*frame, scratch);
  if (!payload) return false;
  if (frame->codec == Codec::zstd) payload = run.keep(std::move(scratch));
  ByteReader in(*payload);
  PartContent* part = part_at(run, in.varint());
  if (in.failed() || !part) return false;
  take_facts(run, *part, in.bytes(in.remaining()));
  return true;
}

void read_by_index(RunContent& run, ByteView file, const Footer& footer) {
  std::uint64_t damaged = 0;
  for (const std::uint64_t offset : footer.facts) damaged += !take_frame(run, file, offset);
  for (const IndexEntry& entry : footer.index) damaged += !take_frame(run, file, entry.offset);
  run.count_loss("damaged_chunk", Severity::error, damaged, kDamaged);
}

// Without a footer (cut off, or damaged) the frames themselves are looked for.
void read_by_scan(RunContent& run, ByteView file) {
  run.count_loss("missing_footer", Severity::warning, 1, "the file's end is missing; what is before it is shown");
  std::uint64_t damaged = 0;
  std::vector<IndexEntry> index;
  for (std::size_t at = kHeaderSize; (at = find_frame(file, at)) < file.size();) {
    const auto frame = parse_frame(file, at);
    if (frame && take_frame(run, file, at)) {
      at += frame->total_size;
    } else {
      ++damaged;
      ++at;
    }
  }
  run.count_loss("damaged_chunk", Severity::error, damaged, kDamaged);
  for (const PartContent& part : run.parts)
    for (const Block& block : part.blocks) index.push_back({block.summary, 0});
  run.detail = build_levels(index);
}

}  // namespace

Result<RunContent> read_sealed(ByteView file, const std::string& name) {
  RETURN_IF_ERROR(check_header(file, name));
  RunContent run;
  run.sealed = true;
  run.file_bytes = file.size();
  if (auto footer = find_footer(file)) {
    read_by_index(run, file, *footer);
    run.detail = std::move(footer->detail);
  } else {
    read_by_scan(run, file);
  }
  if (run.parts.empty()) return fail(ErrorKind::bad_file, name + " holds no readable data");
  return run;
}

}  // namespace laptime
