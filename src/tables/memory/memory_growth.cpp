#include "tables/memory/memory_growth.h"

#include <algorithm>
#include <map>

#include "tables/code/line_columns.h"
#include "tables/memory/memory_labels.h"
#include "trace/analysis.h"
#include "trace/code/line_ids.h"
#include "trace/memory/memory_categories.h"
#include "trace/memory/memory_history.h"
#include "trace/steps/recorded_part.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

constexpr std::uint32_t kSettlingSteps = 2;
constexpr std::uint32_t kFewestRises = 3;
constexpr double kLeastKept = 0.8;

// The memory of one line and op at each step's end.
struct Holding {
  std::uint32_t call_site = 0, op = 0;
  std::uint64_t now = 0, at_last_end = 0, when_settled = 0;
  std::uint64_t rises = 0;
  std::uint32_t rise_count = 0, last_rise = 0;

  void end_step(std::uint32_t step) {
    if (step <= kSettlingSteps) {
      when_settled = now;
    } else if (now > at_last_end) {
      rises += now - at_last_end;
      ++rise_count;
      last_rise = step;
    }
    at_last_end = now;
  }
  bool grows(std::uint32_t steps) const {
    if (rise_count < kFewestRises || now <= when_settled || last_rise <= steps - steps / 3)
      return false;
    return static_cast<double>(now - when_settled) >= kLeastKept * static_cast<double>(rises);
  }
};

// The blocks of one device that outlive the step of their allocation, summed by line and op.
class Holdings {
 public:
  // `step_ends`: rising.
  Holdings(const Analysis& analysis, const MemoryHistory& history,
           const std::vector<std::int64_t>& step_ends)
      : analysis_(analysis), step_ends_(step_ends), changes_(step_ends.size()) {
    std::size_t step = 0;
    for (const MemoryBlock& block : history.blocks) {
      while (step < step_ends.size() && step_ends[step] < block.born_ns) ++step;
      if (step == step_ends.size()) break;
      if (block.died_ns > step_ends[step] && !block.from_before) add(block, step);
    }
    for (std::size_t i = 0; i < step_ends.size(); ++i) end_step(i);
  }
  const std::vector<Holding>& all() const { return holdings_; }

 private:
  struct Change {
    std::size_t holding;
    std::uint64_t gained, lost;
  };

  void add(const MemoryBlock& block, std::size_t step) {
    const std::size_t holding = holding_of(block);
    changes_[step].push_back({holding, block.bytes, 0});
    const auto died = std::lower_bound(step_ends_.begin(), step_ends_.end(), block.died_ns);
    if (died != step_ends_.end())
      changes_[static_cast<std::size_t>(died - step_ends_.begin())].push_back(
          {holding, 0, block.bytes});
  }
  void end_step(std::size_t step) {
    for (const Change& change : changes_[step])
      holdings_[change.holding].now += change.gained - change.lost;
    for (Holding& holding : holdings_) holding.end_step(static_cast<std::uint32_t>(step + 1));
  }
  std::size_t holding_of(const MemoryBlock& block) {
    const InstantOrigin origin =
        origin_of(analysis_.run(), analysis_.ops(), block.track, block.row);
    const auto [it, is_new] =
        by_line_.try_emplace({analysis_.lines()[origin.call_site], origin.op}, holdings_.size());
    if (is_new) holdings_.emplace_back(Holding{.call_site = origin.call_site, .op = origin.op});
    return it->second;
  }

  const Analysis& analysis_;
  const std::vector<std::int64_t>& step_ends_;
  std::vector<std::vector<Change>> changes_;  // by step, before its end
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> by_line_;
  std::vector<Holding> holdings_;
};

// By process: the ends of recorded steps, of the thread with the most of them.
std::vector<std::vector<std::int64_t>> recorded_step_ends(const Run& run,
                                                          const std::vector<Step>& steps) {
  std::vector<std::vector<std::int64_t>> ends(run.processes.size());
  std::map<std::uint32_t, std::vector<std::int64_t>> by_track;
  for (const Step& step : steps)
    if (step.ops != StepOps::rested) by_track[step.track].push_back(step.start_ns + step.wall_ns);
  for (auto& [track, moments] : by_track) {
    std::sort(moments.begin(), moments.end());
    if (auto& best = ends[run.tracks[track].process]; moments.size() > best.size())
      best = std::move(moments);
  }
  return ends;
}

}  // namespace

std::vector<MemoryGrowth> find_memory_growth(const Analysis& analysis) {
  std::vector<MemoryGrowth> growth;
  const auto step_ends = recorded_step_ends(analysis.run(), analysis.steps());
  for (const MemoryHistory& history : analysis.memory()) {
    const auto steps = static_cast<std::uint32_t>(step_ends[history.process].size());
    if (steps < kSettlingSteps + kFewestRises) continue;
    const Holdings holdings(analysis, history, step_ends[history.process]);
    for (const Holding& held : holdings.all())
      if (held.grows(steps))
        growth.push_back({history.process, history.device, held.call_site, held.op, held.now,
                          held.now - held.when_settled, held.rise_count, steps - kSettlingSteps});
  }
  std::stable_sort(growth.begin(), growth.end(), [](const MemoryGrowth& a, const MemoryGrowth& b) {
    return a.bytes_per_step() > b.bytes_per_step();
  });
  return growth;
}

namespace {

struct GrowthRow {
  const Run& run;
  const LineIds& lines;
  const MemoryGrowth& growth;
};

constexpr ColumnOf<GrowthRow> kGrowthColumns[] = {
    {"file", "The file of the line that allocated.",
     [](auto& r) { return file_at(r.lines, r.lines[r.growth.call_site]); }},
    {"line", "That line.", [](auto& r) { return line_at(r.lines, r.lines[r.growth.call_site]); }},
    {"op", "The outermost op that allocated.",
     [](auto& r) { return string_at(r.run, r.growth.op); }},
    {"bytes_per_step", Unit::bytes, "What it gains a recorded step.",
     [](auto& r) { return r.growth.bytes_per_step(); }},
    {"bytes", Unit::bytes, "What it holds when the last step ends.",
     [](auto& r) { return r.growth.held_bytes; }},
    {"steps_grown", Unit::count, "In how many steps it grew.",
     [](auto& r) { return r.growth.steps_grown; }},
    {"steps", Unit::count, "How many steps were measured.",
     [](auto& r) { return r.growth.steps_seen; }},
    {"device", "The CPU or the GPU.",
     [](auto& r) { return device_label(r.run, r.growth.process, r.growth.device); }}};
constexpr TableOf<GrowthRow> kMemoryGrowthRows{"memory_growth", kGrowthColumns};

}  // namespace

Table memory_growth_table(const Analysis& analysis) {
  Table table =
      kMemoryGrowthRows.empty("Lines whose memory grows" + from_recorded_steps(analysis.steps()));
  for (const MemoryGrowth& growth : find_memory_growth(analysis))
    kMemoryGrowthRows.add(table, {analysis.run(), analysis.lines(), growth});
  return table;
}

constinit const TableDefinition kMemoryGrowthTable =
    define_table<kMemoryGrowthRows>("lines that hold more memory step after step",
                                    R"(
These are leaks, and lists that are never emptied. A line's memory is measured when each recorded
step ends; the first two steps are left out. A line grows if it rose at least three times, the
last time within the last third, and has kept four fifths of what it gained.)",
                                    memory_growth_table);

}  // namespace laptime
