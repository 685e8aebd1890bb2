#include "tables/memory/memory_steps.h"

#include <algorithm>
#include <map>

#include "tables/memory/memory_labels.h"
#include "trace/analysis.h"
#include "trace/memory/memory_history.h"
#include "trace/memory/reserved_memory.h"
#include "trace/steps/recorded_part.h"
#include "trace/steps/steps.h"

namespace laptime {

namespace {

struct StepMemory {
  std::uint64_t peak_bytes = 0, end_bytes = 0;
  std::uint64_t allocations = 0, allocated_bytes = 0, releases = 0, released_bytes = 0;
};

// The steps of one thread on one device, filled in order of time.
class StepRow {
 public:
  StepRow(const std::vector<Step>& steps) : steps_(steps), sums_(steps.size()) {}

  // The step at a moment, null if there is none. Contract: times rise. `before`: the live bytes
  // until now.
  StepMemory* at(std::int64_t time_ns, std::uint64_t before) {
    while (next_ < steps_.size() && time_ns >= steps_[next_].start_ns) {
      const std::int64_t end = steps_[next_].start_ns + steps_[next_].wall_ns;
      StepMemory& sum = sums_[next_];
      if (!entered_) sum.peak_bytes = before;
      entered_ = true;
      if (time_ns < end) return &sum;
      sum.end_bytes = before;
      entered_ = false;
      ++next_;
    }
    return nullptr;
  }
  const std::vector<StepMemory>& finish(std::uint64_t live_bytes) {
    at(INT64_MAX, live_bytes);
    return sums_;
  }

 private:
  const std::vector<Step>& steps_;
  std::vector<StepMemory> sums_;
  std::size_t next_ = 0;
  bool entered_ = false;
};

class StepSums {
 public:
  // `threads`: the steps of each thread with steps.
  StepSums(const MemoryHistory& history, const std::vector<std::vector<Step>>& threads)
      : threads_(threads.begin(), threads.end()) {
    history.for_each_change([&](const MemoryBlock& block, bool birth, std::uint64_t live_bytes) {
      birth ? born(block, live_bytes) : died(block);
      live_bytes_ = live_bytes;
    });
  }

  const std::vector<StepMemory>& finish(std::size_t thread) {
    return threads_[thread].finish(live_bytes_);
  }

 private:
  void born(const MemoryBlock& block, std::uint64_t live_bytes) {
    each_step(block.born_ns, [&](StepMemory& step) {
      step.peak_bytes = std::max(step.peak_bytes, live_bytes);
      if (block.from_before) return;
      ++step.allocations;
      step.allocated_bytes += block.bytes;
    });
  }
  void died(const MemoryBlock& block) {
    each_step(block.died_ns, [&](StepMemory& step) {
      ++step.releases;
      step.released_bytes += block.bytes;
    });
  }
  template <typename Add>
  void each_step(std::int64_t time_ns, Add add) {
    for (StepRow& thread : threads_)
      if (StepMemory* const step = thread.at(time_ns, live_bytes_)) add(*step);
  }

  std::vector<StepRow> threads_;
  std::uint64_t live_bytes_ = 0;  // until now
};

// By process, then by thread.
std::map<std::uint32_t, std::vector<std::vector<Step>>> recorded_steps(
    const Run& run, const std::vector<Step>& steps) {
  std::map<std::uint32_t, std::vector<std::vector<Step>>> result;
  for (const Step& step : steps) {
    auto& threads = result[run.tracks[step.track].process];
    if (threads.empty() || threads.back().front().track != step.track) threads.emplace_back();
    threads.back().push_back(step);
  }
  return result;
}

struct StepMemoryRow {
  const Run& run;
  const MemoryHistory& history;
  const ReservedMemory& reserved;
  const Step& step;
  const StepMemory& memory;
};

constexpr ColumnOf<StepMemoryRow> kStepMemoryColumns[] = {
    {"step", "The step's number.", [](auto& r) { return r.step.number; }},
    {"phase", "Its phase.", [](auto& r) { return r.run.strings[r.step.phase]; }},
    {"device", "The CPU or the GPU.",
     [](auto& r) { return device_label(r.run, r.history.process, r.history.device); }},
    {"peak_bytes", Unit::bytes, "The most that was alive during it.",
     [](auto& r) { return r.memory.peak_bytes; }},
    {"end_bytes", Unit::bytes, "What was alive at its end.",
     [](auto& r) { return r.memory.end_bytes; }},
    {"allocations", Unit::count, "How many blocks were allocated.",
     [](auto& r) { return r.memory.allocations; }},
    {"allocated_bytes", Unit::bytes, "How much they are.",
     [](auto& r) { return r.memory.allocated_bytes; }},
    {"releases", Unit::count, "How many blocks were released.",
     [](auto& r) { return r.memory.releases; }},
    {"released_bytes", Unit::bytes, "How much they were.",
     [](auto& r) { return r.memory.released_bytes; }},
    {"reserved_bytes", Unit::bytes, "The most that torch's caching allocator held during it.",
     [](auto& r) { return r.reserved.most(r.step.start_ns, r.step.start_ns + r.step.wall_ns); }}};
constexpr TableOf<StepMemoryRow> kMemorySteps{"memory_steps", kStepMemoryColumns};

}  // namespace

Table memory_steps_table(const Analysis& analysis) {
  const Run& run = analysis.run();
  Table table = kMemorySteps.empty("Memory by step" + from_recorded_steps(analysis.steps()));
  const auto by_process = recorded_steps(run, analysis.steps());
  for (const MemoryHistory& history : analysis.memory()) {
    const auto found = by_process.find(history.process);
    if (found == by_process.end()) continue;
    const std::vector<std::vector<Step>>& threads = found->second;
    const ReservedMemory reserved(run, history.process, history.device);
    StepSums sums(history, threads);
    for (std::size_t t = 0; t < threads.size(); ++t) {
      const std::vector<StepMemory>& rows = sums.finish(t);
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (threads[t][i].ops != StepOps::rested)
          kMemorySteps.add(table, {run, history, reserved, threads[t][i], rows[i]});
    }
  }
  return table;
}

constinit const TableDefinition kMemoryStepsTable =
    define_table<kMemorySteps>("memory held by each step, and what came and went in it",
                               "There is one row a recorded step and device.", memory_steps_table);

}  // namespace laptime
