#include "format/seal.h"

#include <unistd.h>
#include <algorithm>
#include <map>
#include <utility>

#include "base/os/process.h"
#include "format/names.h"
#include "format/sources/source_text.h"
#include "format/sources/stored_sources.h"
#include "format/writer.h"

namespace laptime {

namespace {

constexpr std::uint32_t kMergeBelow = 8192;
// Ten thousand threads with a few rows each must not collect memory at the end of a training.
constexpr std::size_t kMostPendingRows = 1u << 20;

// Collects small blocks of one table and track until they fill a block.
template <typename Columns>
class Merger {
 public:
  Merger(LapWriter& writer, std::uint32_t part) : writer_(writer), part_(part) {}

  // False if the block is damaged inside. Then it is left out.
  Result<bool> add(const Block& block) {
    Columns decoded;
    if (!decode_block(block, decoded)) return false;
    if (pending_rows_ > kMostPendingRows) RETURN_IF_ERROR(flush_all());
    pending_rows_ += decoded.size();
    Columns& pending = pending_[block.summary.track];
    if (pending.size() == 0)
      pending = std::move(decoded);
    else
      decode_block(block, pending);  // appended; it decoded once, so it does again
    if (pending.size() >= kMergeBelow) RETURN_IF_ERROR(flush(block.summary.track));
    return true;
  }
  Status flush(std::uint32_t track) {
    const auto it = pending_.find(track);
    if (it == pending_.end() || it->second.size() == 0) return {};
    const Columns columns = std::exchange(it->second, {});
    pending_rows_ -= columns.size();
    return writer_.add_rows(part_, track, columns);
  }
  Status flush_all() {
    for (const auto& [track, columns] : pending_) RETURN_IF_ERROR(flush(track));
    return {};
  }

 private:
  LapWriter& writer_;
  std::uint32_t part_;
  std::map<std::uint32_t, Columns> pending_;
  std::size_t pending_rows_ = 0;
};

class PartSealer {
 public:
  PartSealer(LapWriter& writer, std::uint32_t part)
      : writer_(writer),
        part_(part),
        spans_(writer, part),
        values_(writer, part),
        tallies_(writer, part) {}

  // Returns how many blocks were damaged and left out.
  Result<std::uint64_t> add_all(const RunContent& run, const std::vector<Block>& blocks) {
    std::uint64_t damaged = 0;
    PageBudget pages(run);
    for (const Block& block : blocks) {
      ASSIGN_OR_RETURN(const bool good, add(block));
      damaged += !good;
      pages.touch(block.columns.size());
    }
    RETURN_IF_ERROR(spans_.flush_all());
    RETURN_IF_ERROR(values_.flush_all());
    RETURN_IF_ERROR(tallies_.flush_all());
    return damaged;
  }

 private:
  Result<bool> add(const Block& block) {
    switch (block.summary.table) {
      case TableType::spans:
        return add_to(spans_, block);
      case TableType::values:
        return add_to(values_, block);
      case TableType::tallies:
        return add_to(tallies_, block);
    }
    return true;
  }
  template <typename Columns>
  Result<bool> add_to(Merger<Columns>& merger, const Block& block) {
    if (block.summary.rows < kMergeBelow) return merger.add(block);
    if (!block.frame.intact()) return false;
    RETURN_IF_ERROR(merger.flush(block.summary.track));
    RETURN_IF_ERROR(writer_.add_block(part_, block));
    return true;
  }

  LapWriter& writer_;
  std::uint32_t part_;
  Merger<SpanColumns> spans_;
  Merger<ValueColumns> values_;
  Merger<TallyColumns> tallies_;
};

}  // namespace

Status seal(const RunContent& run, Sink& sink) {
  ASSIGN_OR_RETURN(LapWriter writer, LapWriter::create(sink));
  std::uint64_t damaged = 0;
  StoredSources sources;
  for (const PartContent& content : run.parts) {
    const std::uint32_t part = writer.add_part();
    RETURN_IF_ERROR(writer.add_facts(part, sources.take(content.facts)));
    ASSIGN_OR_RETURN(const std::uint64_t bad,
                     PartSealer(writer, part).add_all(run, content.blocks));
    damaged += bad;
  }
  std::vector<Fact> warnings;
  for (const WarningCount& warning : run.warnings)
    warnings.push_back(
        WarningFact{0, warning.severity, warning.count, warning.name, warning.message});
  if (damaged)
    warnings.push_back(WarningFact{0, Severity::error, damaged, warning_name::kDamaged,
                                   "part of the recording is damaged; the rest is shown"});
  if (sources.left_out())
    warnings.push_back(WarningFact{0, Severity::warning, sources.left_out(), kSourceLeftOut,
                                   kSourceLeftOutMessage});
  RETURN_IF_ERROR(writer.add_facts(0, warnings));
  return writer.finish();
}

namespace {

bool descends_from(std::uint32_t pid, std::uint32_t ancestor) {
  for (int i = 0; i < 64 && pid > 1; ++i) {
    if (pid == ancestor) return true;
    pid = parent_of(pid);
  }
  return false;
}

std::vector<FoundPart> parts_to_keep(const std::vector<FoundPart>& found, const RunContent& run,
                                     LiveParts live) {
  std::vector<FoundPart> kept;
  const auto self = static_cast<std::uint32_t>(::getpid());
  for (const FoundPart& part : found) {
    const bool goes_on =
        part.is_live && (live == LiveParts::keep || !descends_from(part.pid, self));
    if (goes_on || std::ranges::count(run.unreadable, part.name, &UnreadablePart::name) > 0)
      kept.push_back(part);
  }
  return kept;
}

bool contains(const std::vector<FoundPart>& parts, const std::string& name) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const FoundPart& part) { return part.name == name; });
}

}  // namespace

Result<std::vector<FoundPart>> seal_folder(const PartFolder& folder, const std::string& path,
                                           PartContent outside, LiveParts live, mode_t mode,
                                           const std::vector<std::uint32_t>& joined) {
  const std::vector<FoundPart> found = folder.parts();
  std::vector<FoundPart> kept;
  {
    RunContent run = read_parts(folder, found);
    kept = parts_to_keep(found, run, live);
    for (const std::uint32_t pid : joined)
      if (std::ranges::count(found, pid, &FoundPart::pid) == 0)
        kept.push_back({.name = "", .pid = pid, .is_live = true});
    const auto running =
        std::count_if(kept.begin(), kept.end(), [](const FoundPart& part) { return part.is_live; });
    run.count_warning("outlived", Severity::warning, static_cast<std::uint64_t>(running),
                      "processes still ran when the run was sealed; their later records "
                      "stay in the folder NAME.lap.d");
    if (run.parts.empty() && outside.facts.empty())
      return fail(ErrorKind::bad_file, folder.path() + " holds no recording");
    if (!outside.facts.empty()) run.parts.push_back(std::move(outside));
    ASSIGN_OR_RETURN(FileSink sink, FileSink::create(path, mode));
    RETURN_IF_ERROR(seal(run, sink));
    RETURN_IF_ERROR(sink.commit_durably());
  }
  for (const FoundPart& part : found)
    if (!contains(kept, part.name)) folder.remove(part);
  for (const MissingPart& missing : folder.missing()) folder.remove(missing);
  if (kept.empty()) folder.remove_if_empty();
  for (const FoundPart& part : folder.parts())
    if (!contains(found, part.name)) kept.push_back(part);  // started meanwhile
  return kept;
}

std::string left_line(const std::vector<FoundPart>& left, const std::string& folder) {
  std::string pids;
  for (const FoundPart& part : left)
    if (part.is_live) pids += (pids.empty() ? "" : ", ") + std::to_string(part.pid);
  if (pids.empty()) return "some records could not be read; they stay in " + folder;
  return "processes of this run still run (" + pids + "); their later records stay in " + folder;
}

}  // namespace laptime
