#include <fmt/format.h>
#include <algorithm>
#include <numeric>

#include "format/names.h"
#include "trace/run/row_load.h"
#include "trace/run/run.h"
#include "trace/run/span_load.h"

namespace laptime {

namespace {

struct Part {
  const PartContent* content;
  PartFacts facts;
  ClockMap clock;
  std::int64_t start_ns = INT64_MAX;                // earliest moment it knows of
  std::map<std::uint32_t, std::uint32_t> tracks{};  // its own number → index into Run::tracks

  bool knows_clock() const { return !facts.clock.empty(); }
  // A part without rows, threads or a process id describes the run as a whole: `laptime run` writes
  // it.
  bool is_process() const {
    return !content->blocks.empty() || !facts.tracks.empty() ||
           facts.properties.contains(property::kPid);
  }
};

std::int64_t clamp_time(std::int64_t ns) { return std::clamp(ns, -kMaxTimeNs, kMaxTimeNs); }

std::uint32_t number_or_zero(const Properties& properties, std::string_view key) {
  const std::int64_t number = property_number(properties, key).value_or(0);
  return number > 0 && number <= UINT32_MAX ? static_cast<std::uint32_t>(number) : 0;
}

std::uint64_t bytes_per_row(const BlockSummary& s) {
  switch (s.table) {
    case TableType::spans:
      return 21 + (s.has_links ? 8 : 0);
    case TableType::values:
      return 20;
    case TableType::tallies:
      return 53;
  }
  return 0;
}
constexpr std::uint64_t kBytesPerArg =
    3ull * 17;  // each is in its block's list, its track's, and what that grew from
// Tables keep about as much of each record as its columns have (measured: 408 MB where the columns
// take 210 MB).
constexpr std::uint64_t kTimesColumns = 2;

class RunLoader {
 public:
  RunLoader(RunContent content, const std::string& path) : content_(std::move(content)) {
    run_.path = path;
    run_.file_bytes = content_.file_bytes;
    run_.sealed = content_.sealed;
    run_.codes.emplace_back();
    run_.call_sites.emplace_back();
    run_.call_frames.emplace_back();
  }

  Result<Run> load() {
    RETURN_IF_ERROR(check_memory());
    for (const PartContent& content : content_.parts) {
      parts_.push_back({&content, read_facts(content, run_, content_.budget), {}});
      if (content_.budget.exceeded()) return content_.budget.refusal(run_.path);
      parts_.back().clock = ClockMap(parts_.back().facts.clock);
    }
    align_clocks();
    RETURN_IF_ERROR(make_room_for_tracks());
    for (Part& part : parts_) add_process(part);
    load_blocks();
    run_.warnings = std::move(content_.warnings);
    return std::move(run_);
  }

 private:
  Status check_memory();
  void align_clocks();
  Status make_room_for_tracks();
  void add_process(Part& part);
  void add_track(Part& part, std::uint32_t id, const TrackFact* fact);
  void load_blocks();
  RowsOutcome load_rows(const Part& part, const Block& block);

  RunContent content_;
  Run run_;
  std::vector<Part> parts_;
};

Status RunLoader::check_memory() {
  for (const PartContent& part : content_.parts)
    for (const Block& block : part.blocks)
      content_.budget.take(kTimesColumns * block.summary.rows * bytes_per_row(block.summary) +
                           block.summary.args * kBytesPerArg);
  if (content_.budget.exceeded()) return content_.budget.refusal(run_.path);
  return {};
}

// Time 0 is the earliest moment of any part. If other parts have clock facts, a part without them
// cannot be placed. It is put at the run's start, with a warning.
void RunLoader::align_clocks() {
  const bool any_known =
      std::any_of(parts_.begin(), parts_.end(), [](const Part& p) { return p.knows_clock(); });
  std::int64_t run_start = INT64_MAX;
  for (Part& part : parts_) {
    for (const ClockFact& point : part.facts.clock)
      part.start_ns = std::min(part.start_ns, part.clock(clamp_time(point.part_ns)));
    for (const Block& block : part.content->blocks)
      if (block.summary.table != TableType::tallies)
        part.start_ns = std::min(part.start_ns, part.clock(clamp_time(block.summary.first_ns)));
    if (part.knows_clock() || !any_known) run_start = std::min(run_start, part.start_ns);
  }
  if (run_start == INT64_MAX) run_start = 0;
  for (Part& part : parts_) {
    const bool lost = any_known && !part.knows_clock() && part.start_ns != INT64_MAX;
    if (lost)
      content_.count_warning(
          "unknown_clock", Severity::warning, 1,
          "a process left no clock reading; its times are set to begin with the run");
    if (part.start_ns == INT64_MAX) part.start_ns = run_start;
    part.clock.shift(lost ? -part.start_ns : -run_start);
    part.start_ns = lost ? 0 : part.start_ns - run_start;
    for (const ClockFact& point : part.facts.clock)
      if (run_.start_realtime_ns == 0 && is_plausible_time(point.part_ns))
        run_.start_realtime_ns = point.realtime_ns - part.clock(point.part_ns);
  }
  std::stable_sort(parts_.begin(), parts_.end(),
                   [](const Part& a, const Part& b) { return a.start_ns < b.start_ns; });
}

// A track costs several hundred bytes even when it is empty.
Status RunLoader::make_room_for_tracks() {
  std::size_t count = 0;
  for (const Part& part : parts_) count += part.facts.tracks.size();
  content_.budget.take(count * sizeof(Track));
  if (content_.budget.exceeded()) return content_.budget.refusal(run_.path);
  run_.tracks.reserve(count);
  return {};
}

void RunLoader::add_process(Part& part) {
  Properties& properties = part.facts.properties;
  if (!part.is_process()) {
    run_.properties.merge(properties);
    return;
  }
  run_.processes.push_back({number_or_zero(properties, property::kPid),
                            number_or_zero(properties, property::kParentPid), std::move(properties),
                            std::move(part.facts.devices), part.start_ns});
  for (const auto& [id, fact] : part.facts.tracks) add_track(part, id, &fact);
  for (const Block& block : part.content->blocks)
    if (!part.tracks.contains(block.summary.track)) add_track(part, block.summary.track, nullptr);
}

void RunLoader::add_track(Part& part, std::uint32_t id, const TrackFact* fact) {
  part.tracks.emplace(id, static_cast<std::uint32_t>(run_.tracks.size()));
  Track track;
  track.process = static_cast<std::uint32_t>(run_.processes.size() - 1);
  if (fact) {
    track.kind = fact->kind;
    track.os_id = fact->os_id;
    track.name = run_.strings[part.facts.names[fact->name]];
    if (track.name.empty())
      track.name =
          fmt::format("{} {}", fact->kind == TrackKind::thread ? "thread" : "track", fact->os_id);
  } else {
    track.name = fmt::format("track {}", id);
  }
  run_.tracks.push_back(std::move(track));
}

void RunLoader::load_blocks() {
  SpanLoader spans(run_);
  std::uint64_t damaged = 0;
  for (const Part& part : parts_)
    for (const Block& block : part.content->blocks) {
      if (block.summary.table == TableType::spans) {
        spans.add(part.tracks.at(block.summary.track), block, part.facts, part.clock);
        continue;
      }
      const RowsOutcome outcome = load_rows(part, block);
      damaged += !outcome.good;
      run_.end_ns = std::max(run_.end_ns, outcome.last_ns);
    }
  const SpanLoader::Outcome outcome = spans.load();
  content_.count_warning(warning_name::kDamaged, Severity::error, damaged + outcome.damaged_blocks,
                         "part of the file is damaged; the rest is shown");
  run_.end_ns = std::max(run_.end_ns, outcome.last_ns);
  for (const Part& part : parts_)
    for (const ClockFact& point : part.facts.clock)
      run_.end_ns = std::max(run_.end_ns, part.clock(clamp_time(point.part_ns)));
}

RowsOutcome RunLoader::load_rows(const Part& part, const Block& block) {
  Track& track = run_.tracks[part.tracks.at(block.summary.track)];
  switch (block.summary.table) {
    case TableType::values:
      return load_values(block, part.facts, part.clock, track.values);
    case TableType::tallies:
      return load_tallies(block, part.facts, track.tallies);
    case TableType::spans:
      break;
  }
  return {};  // a later version's table
}

}  // namespace

Result<Run> load_run(RunContent content, const std::string& path) {
  return RunLoader(std::move(content), path).load();
}

Result<Run> load_run(const std::string& path) {
  ASSIGN_OR_RETURN(RunContent content, open_run(path));
  return load_run(std::move(content), path);
}

}  // namespace laptime
