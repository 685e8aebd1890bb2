#include "analyze/memory_growth.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "analyze/line_ids.h"
#include "analyze/memory_categories.h"
#include "analyze/memory_labels.h"
#include "analyze/memory_replay.h"
#include "analyze/steps.h"

namespace laptime {

namespace {

constexpr std::uint32_t kSettlingSteps = 2;
constexpr std::uint32_t kFewestRises = 3;
constexpr double kLeastKept = 0.8;

// What one line and op hold, from step end to step end.
struct Holding {
  std::uint32_t place = 0, op = 0;
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
    if (rise_count < kFewestRises || now <= when_settled || last_rise <= steps - steps / 3) return false;
    return static_cast<double>(now - when_settled) >= kLeastKept * static_cast<double>(rises);
  }
};

// The blocks that outlive the step of their birth, added up by line and op, on one device.
class Holdings {
 public:
  Holdings(const Run& run, const OpAttribution& ops, const LineIds& lines) : run_(run), ops_(ops), lines_(lines) {}

  void born(const MemoryBlock& block) { newborn_.push_back({block.address, block.track, block.row}); }
  void died(const MemoryBlock& block) {
    const auto it = survivors_.find(block.address);
    if (it == survivors_.end()) return;
    holdings_[it->second].now -= block.bytes;
    survivors_.erase(it);
  }
  void end_step(const LiveBlocks& live, std::uint32_t step) {
    for (const Newborn& child : newborn_) {
      const MemoryBlock* const block = live.find(child.address);
      if (!block || block->track != child.track || block->row != child.row || block->from_before) continue;
      const std::size_t holding = holding_of(*block);
      holdings_[holding].now += block->bytes;
      survivors_.emplace(block->address, holding);
    }
    newborn_.clear();
    for (Holding& holding : holdings_) holding.end_step(step);
  }
  const std::vector<Holding>& all() const { return holdings_; }

 private:
  struct Newborn {
    std::uint64_t address;
    std::uint32_t track, row;
  };
  std::size_t holding_of(const MemoryBlock& block) {
    const MarkOrigin origin = origin_of(run_, ops_, block.track, block.row);
    const auto [it, is_new] = by_line_.try_emplace({lines_[origin.place], origin.op}, holdings_.size());
    if (is_new) holdings_.emplace_back(Holding{.place = origin.place, .op = origin.op});
    return it->second;
  }

  const Run& run_;
  const OpAttribution& ops_;
  const LineIds& lines_;
  std::vector<Newborn> newborn_;  // since the last step end
  std::unordered_map<std::uint64_t, std::size_t> survivors_;  // address to holding
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> by_line_;
  std::vector<Holding> holdings_;
};

class GrowthWatch : public MemoryObserver {
 public:
  // `step_ends`: rising.
  GrowthWatch(const std::vector<std::int64_t>& step_ends, Holdings empty) : step_ends_(step_ends), empty_(std::move(empty)) {}

  void born(const DeviceMemory& memory, const MemoryBlock& block) {
    at(memory, block.born_ns).holdings.born(block);
  }
  void died(const DeviceMemory& memory, const MemoryBlock& block, const MemoryEvent& release) {
    at(memory, release.time_ns).holdings.died(block);
  }

  struct Device {
    std::uint32_t device;
    std::uint32_t steps = 0;  // ended
    Holdings holdings;
  };
  const std::vector<Device>& devices() const { return devices_; }

  // Called while the replay's devices still live.
  void finish(const DeviceMemory& memory) { at(memory, INT64_MAX); }

 private:
  // What lives there now includes the event that is told, whose own block is too young to matter, or already gone.
  Device& at(const DeviceMemory& memory, std::int64_t time_ns) {
    while (memory.number >= devices_.size()) devices_.push_back({memory.device, 0, empty_});
    Device& device = devices_[memory.number];
    device.device = memory.device;
    while (device.steps < step_ends_.size() && step_ends_[device.steps] < time_ns) device.holdings.end_step(memory.live, ++device.steps);
    return device;
  }

  const std::vector<std::int64_t>& step_ends_;
  Holdings empty_;
  std::vector<Device> devices_;
};

// The ends of recorded steps, of the thread that has most: by process.
std::vector<std::vector<std::int64_t>> recorded_step_ends(const Run& run, const std::vector<Step>& steps) {
  std::vector<std::vector<std::int64_t>> ends(run.processes.size());
  std::map<std::uint32_t, std::vector<std::int64_t>> by_track;
  for (const Step& step : steps)
    if (step.ops != StepOps::rested) by_track[step.track].push_back(step.start_ns + step.wall_ns);
  for (auto& [track, moments] : by_track) {
    std::sort(moments.begin(), moments.end());
    if (auto& best = ends[run.tracks[track].process]; moments.size() > best.size()) best = std::move(moments);
  }
  return ends;
}

}  // namespace

std::vector<MemoryGrowth> find_memory_growth(const Analysis& analysis) {
  const Run& run = analysis.run();
  std::vector<MemoryGrowth> growth;
  const LineIds& lines = analysis.lines();
  const auto step_ends = recorded_step_ends(run, analysis.steps());
  for (std::uint32_t process = 0; process < run.processes.size(); ++process) {
    const auto steps = static_cast<std::uint32_t>(step_ends[process].size());
    if (steps < kSettlingSteps + kFewestRises) continue;
    GrowthWatch watch(step_ends[process], Holdings(run, analysis.ops(), lines));
    MemoryReplay replay(run, watch);
    replay.play(process);
    for (const DeviceMemory& memory : replay.devices()) watch.finish(memory);
    for (const GrowthWatch::Device& device : watch.devices())
      for (const Holding& held : device.holdings.all())
        if (held.grows(steps))
          growth.push_back({process, device.device, held.place, held.op, held.now, held.now - held.when_settled, held.rise_count,
                            steps - kSettlingSteps});
  }
  std::stable_sort(growth.begin(), growth.end(),
                   [](const MemoryGrowth& a, const MemoryGrowth& b) { return a.bytes_per_step() > b.bytes_per_step(); });
  return growth;
}

Table memory_growth_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table{"memory_growth",
              "Lines whose memory grows" + from_recorded_steps(analysis.steps()),
              {{"file", ColumnType::text},
               {"line", ColumnType::integer},
               {"op", ColumnType::text},
               {"bytes_per_step", ColumnType::real, Unit::bytes},
               {"bytes", ColumnType::integer, Unit::bytes},
               {"steps_grown", ColumnType::integer, Unit::count},
               {"steps", ColumnType::integer, Unit::count},
               {"device", ColumnType::text}},
              {}};
  const LineIds& lines = analysis.lines();
  for (const MemoryGrowth& g : find_memory_growth(analysis))
    table.rows.push_back({lines.file_cell(lines[g.place]), lines.line_cell(lines[g.place]),
                          g.op == 0 ? kUnknown : Cell(std::string(run.strings[g.op])), g.bytes_per_step(), integer_cell(g.held_bytes),
                          integer_cell(g.steps_grown), integer_cell(g.steps_seen), device_label(run, g.process, g.device)});
  return table;
}

}  // namespace laptime
