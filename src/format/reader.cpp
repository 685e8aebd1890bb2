#include "format/reader.h"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "format/part.h"
#include "format/part_folder.h"

namespace laptime {

namespace fs = std::filesystem;

namespace {

// Recorders use a few dozen names. A file may have any number, and each count searches all of them.
constexpr std::size_t kMostWarnings = 1000;
constexpr std::string_view kOtherWarnings = "other_warnings";

std::size_t text_size(const PropertyValue& value) {
  const auto* const text = std::get_if<std::string_view>(&value);
  return text ? text->size() : 0;
}

// The list of facts may have been moved to a longer one; the model keeps maps of some of them.
std::uint64_t memory_for(const Fact& fact) {
  constexpr std::uint64_t kListed = 2 * sizeof(Fact), kMapNode = 192, kTrack = 1024;
  if (const auto* text = std::get_if<StringFact>(&fact))
    return kListed + kMapNode + text->text.size();
  if (const auto* property = std::get_if<PropertyFact>(&fact))
    return kListed + kMapNode + property->key.size() + text_size(property->value);
  if (const auto* property = std::get_if<DevicePropertyFact>(&fact))
    return kListed + 2 * kMapNode + property->key.size() + text_size(property->value);
  if (std::holds_alternative<DeviceFact>(fact)) return kListed + kMapNode;
  if (const auto* source = std::get_if<SourceFact>(&fact))
    return kListed + kMapNode + source->stored.size();
  if (std::holds_alternative<TrackFact>(fact)) return kListed + kTrack;
  return 2 * kListed;
}

}  // namespace

void RunContent::count_warning(std::string_view name, Severity severity, std::uint64_t count,
                               std::string_view message) {
  if (count == 0) return;
  const auto row = std::find_if(warnings.begin(), warnings.end(),
                                [&](const WarningCount& l) { return l.name == name; });
  if (row != warnings.end())
    row->count += count;
  else if (warnings.size() < kMostWarnings || name == kOtherWarnings)
    warnings.push_back({std::string(name), severity, count, std::string(message)});
  else
    count_warning(kOtherWarnings, Severity::warning, count,
                  "warnings with more names than the limit");
}

void RunContent::add_fact(PartContent& part, const Fact& fact) {
  if (budget.take(memory_for(fact))) part.facts.push_back(fact);
}

ByteView RunContent::keep(Bytes bytes) {
  return *buffers.emplace_back(std::make_unique<Bytes>(std::move(bytes)));
}

void RunContent::release_pages() const {
  for (const MappedFile& map : maps) map.release();
}

namespace {

// Parts only grow and are never truncated while they exist, so mapping a live one is safe. Mapped
// twice: see read_part.
Status read_part_file(RunContent& run, const std::string& path) {
  const auto map_now = [&]() -> Result<ByteView> {
    ASSIGN_OR_RETURN(MappedFile map, MappedFile::open(path));
    return run.maps.emplace_back(std::move(map)).bytes();
  };
  ASSIGN_OR_RETURN(const ByteView bytes, map_now());
  RETURN_IF_ERROR(read_part(run, bytes, path, map_now, WrittenParts::of(path)));
  run.file_bytes += run.maps.back().bytes().size();
  return {};
}

Result<RunContent> open_folder(const std::string& path) {
  const auto folder = PartFolder::open(path);
  if (!folder) return fail(ErrorKind::bad_file, folder.error().message);
  RunContent run = read_parts(*folder, folder->parts());
  if (!run.parts.empty()) return run;
  return fail(ErrorKind::bad_file, run.unreadable.empty() ? path + " holds no recording"
                                                          : run.unreadable.front().problem);
}

Result<RunContent> open_file(const std::string& path) {
  ASSIGN_OR_RETURN(MappedFile map, MappedFile::open(path));
  const ByteView bytes = map.bytes();
  if (bytes.size() >= sizeof kPartMagic &&
      std::memcmp(bytes.data(), kPartMagic, sizeof kPartMagic) == 0) {
    RunContent run;
    RETURN_IF_ERROR(read_part_file(run, path));
    return run;
  }
  ASSIGN_OR_RETURN(RunContent run, read_sealed(bytes, path));
  run.maps.push_back(std::move(map));
  return run;
}

}  // namespace

RunContent read_parts(const PartFolder& folder, const std::vector<FoundPart>& found) {
  RunContent run;
  for (const FoundPart& part : found) {
    if (!part.has_begun) continue;
    if (const Status status = read_part_file(run, folder.path() + "/" + part.name); !status)
      run.unreadable.push_back({part.name, status.error().message});
  }
  run.count_warning("unreadable_part", Severity::error, run.unreadable.size(),
                    "a process's part of the run could not be read");
  for (const MissingPart& missing : folder.missing())
    run.count_warning("process_not_recorded", Severity::error, 1,
                      "processes could not record; the first: " + missing.cause);
  std::vector<IndexEntry> index;
  for (const PartContent& part : run.parts)
    for (const Block& block : part.blocks) index.push_back({block.summary, 0});
  run.detail = build_levels(index);
  return run;
}

Result<RunContent> open_run(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return open_folder(path);
  if (!fs::exists(path, ignored) && fs::is_directory(path + ".d", ignored))
    return open_folder(path + ".d");
  return open_file(path);
}

}  // namespace laptime
