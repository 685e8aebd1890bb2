#include <algorithm>
#include <cstring>
#include <optional>

#include "format/frame.h"
#include "format/names.h"
#include "format/part.h"
#include "format/reader.h"
#include "format/version.h"

namespace laptime {

namespace {

constexpr std::size_t kHeaderSize = 16;
constexpr std::size_t kTrailerSize = 16;
constexpr char kDamaged[] = "part of the file is damaged; the rest is shown";

// A file with more bytes of facts, decompressed, is hostile. Real runs stay far below, even with a
// million names.
constexpr std::uint64_t kMaxFactBytes = 256u << 20;

// A part has at least one frame, so the file's size bounds the number of parts.
PartContent* part_at(RunContent& run, std::uint64_t part) {
  if (part >= run.file_bytes / kFrameHeaderSize) return nullptr;
  if (part >= run.parts.size()) run.parts.resize(part + 1);
  return &run.parts[part];
}

void take_facts(RunContent& run, PartContent& part, ByteView entries) {
  const bool whole = for_each_fact(entries, [&](const Fact& fact) {
    if (const auto* warning = std::get_if<WarningFact>(&fact))
      run.count_warning(warning->name, warning->severity, warning->count, warning->message);
    else
      run.add_fact(part, fact);
  });
  if (!whole)
    run.count_warning("damaged_facts", Severity::error, 1,
                      "a list of facts is malformed; the rest of it is left out");
}

Status check_header(ByteView file, const std::string& name) {
  if (file.empty()) return fail(ErrorKind::bad_file, name + " is empty");
  if (file.size() < kHeaderSize || std::memcmp(file.data(), kLapMagic, sizeof kLapMagic) != 0)
    return fail(ErrorKind::bad_file,
                name + " is not a laptime run (to read another tool's file, see laptime --help)");
  std::uint32_t version;
  std::memcpy(&version, file.data() + 8, 4);
  return check_version(version, name);
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
  return payload ? decode_footer(*payload, file.size() / kFrameHeaderSize) : std::nullopt;
}

// Adds the content of frames to a run, if they stay within the limits of a valid file of that size.
class FrameTaker {
 public:
  FrameTaker(RunContent& run, std::uint64_t most_stored) : run_(run), stored_left_(most_stored) {}

  // False if the frame is damaged or one too many.
  bool take(const Frame& frame) {
    // Frames do not overlap. Otherwise a small file could cause endless work.
    if (frame.total_size > stored_left_ || run_.budget.exceeded()) return false;
    stored_left_ -= frame.total_size;
    if (frame.type == FrameType::block) return take_block(frame);
    if (!frame.intact()) return false;
    return frame.type != FrameType::facts ||
           take_fact_frame(frame);  // other types are additions of a later version
  }

 private:
  bool take_block(const Frame& frame) {
    const auto block = parse_block(frame);
    PartContent* part = block ? part_at(run_, block->summary.part) : nullptr;
    if (part) part->blocks.push_back(*block);
    return part != nullptr;
  }
  bool take_fact_frame(const Frame& frame) {
    if (frame.raw_size > facts_left_ || !run_.budget.take(frame.raw_size)) return false;
    Bytes scratch;
    auto payload = open_payload(frame, scratch);
    if (!payload) return false;
    facts_left_ -= frame.raw_size;
    if (frame.codec == Codec::zstd) payload = run_.keep(std::move(scratch));
    ByteReader in(*payload);
    PartContent* part = part_at(run_, in.varint());
    if (in.failed() || !part) return false;
    take_facts(run_, *part, in.bytes(in.remaining()));
    return true;
  }

  RunContent& run_;
  std::uint64_t stored_left_;
  std::uint64_t facts_left_ = kMaxFactBytes;
};

void read_by_index(RunContent& run, ByteView file, const Footer& footer) {
  FrameTaker taker(run, run.file_bytes);
  std::uint64_t damaged = 0;
  const auto take_at = [&](std::uint64_t offset) {
    const auto frame = parse_frame(file, offset);
    damaged += !frame || !taker.take(*frame);
  };
  for (const std::uint64_t offset : footer.facts) take_at(offset);
  for (const IndexEntry& entry : footer.index) take_at(entry.offset);
  run.count_warning(warning_name::kDamaged, Severity::error, damaged, kDamaged);
}

// Without a footer (truncated or damaged), frames are searched by their magic.
void read_by_scan(RunContent& run, ByteView file) {
  run.count_warning("missing_footer", Severity::warning, 1,
                    "the end of the file is missing; everything before it is shown");
  FrameTaker taker(
      run, run.file_bytes + kMaxFrameSize);  // the frame after a damaged size may overlap it
  std::uint64_t damaged = 0;
  // Computing checksums of data that only looks like a frame is wasted. A file that consists of
  // such data is abandoned.
  std::uint64_t vain_left = 4 * file.size() + kMaxFrameSize;
  for (std::size_t at = kHeaderSize; (at = find_frame(file, at)) < file.size();) {
    const auto frame = parse_frame(file, at);
    if (frame && frame->intact() && taker.take(*frame)) {
      at += frame->total_size;
      continue;
    }
    ++damaged;
    ++at;
    const std::uint64_t vain = frame ? frame->total_size : 0;
    if (vain > vain_left) break;
    vain_left -= vain;
  }
  run.count_warning(warning_name::kDamaged, Severity::error, damaged, kDamaged);
  std::vector<IndexEntry> index;
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
  run.budget.add_file(file.size());
  if (auto footer = find_footer(file)) {
    read_by_index(run, file, *footer);
    run.detail = std::move(footer->detail);
  } else {
    read_by_scan(run, file);
  }
  if (run.budget.exceeded()) return run.budget.refusal(name);
  if (run.parts.empty()) return fail(ErrorKind::bad_file, name + " holds no readable data");
  return run;
}

}  // namespace laptime
