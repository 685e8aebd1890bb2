#include "collect/python/tally_writer.h"

#include <Python.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "collect/python/code_registry.h"
#include "collect/python/function_engine.h"
#include "collect/python/line_engine.h"
#include "record/collector.h"

namespace laptime::python {

namespace {

struct Sums {
  std::uint64_t hits = 0, inclusive = 0, exclusive = 0, primitive = 0;

  void add(const LineCounter& c) {
    hits += c.hits;
    inclusive += c.inclusive;
    exclusive += c.exclusive;
  }
  void add(const CallCounter& c) {
    hits += c.calls;
    inclusive += c.cumulative;
    exclusive += c.own;
    primitive += c.calls - c.recursive_calls;
  }
  // Clocks of two cores may differ by some ticks; a clear() sets counters back. Neither makes a negative row.
  static std::uint64_t rise(std::uint64_t now, std::uint64_t before) { return now > before ? now - before : 0; }
  Sums since(const Sums& before) const {
    return {rise(hits, before.hits), rise(inclusive, before.inclusive), rise(exclusive, before.exclusive),
            rise(primitive, before.primitive)};
  }
  bool empty() const { return hits == 0 && inclusive == 0 && exclusive == 0; }
};

// Remembers what was written. Code ids are a recording's own; the counters go on, so a second recording gets what was
// counted since the first ended.
class TallyWriter {
 public:
  void write(std::uint32_t step) {
    if (std::exchange(epoch_, record::epoch()) != record::epoch()) ids_.clear();
    const std::uint64_t now = ticks();
    LineEngine::instance().settle_all(now);
    FunctionEngine::instance().settle_all(now);
    for (const auto& record : CodeRegistry::instance().records()) write_lines(*record, step);
    write_calls(step);
    write_edges(step);
  }

 private:
  std::uint32_t code_id(const Callable& callable, std::uint32_t flags) {
    if (callable.id >= ids_.size()) ids_.resize(callable.id + 1);
    auto& [id, known_flags] = ids_[callable.id];
    if (id == 0) {
      const auto line = static_cast<std::uint32_t>(std::max(0, callable.first_line));
      id = record::add_code(callable.file, callable.qualified, line, flags);
    } else if (known_flags != flags) {
      record::set_code_flags(id, flags);
    }
    known_flags = flags;
    return id;
  }

  static std::uint32_t flags_of(const CodeRecord& record) {
    if (record.level >= Level::counts) return kCodeDemotedToCounts;
    if (record.level == Level::calls) return kCodeDemotedToCalls;
    return 0;
  }

  void put(TallyKind kind, std::uint32_t code, std::uint32_t where, std::uint32_t step, const Sums& rise) {
    record::put_tally({kind, code, where, step, rise.hits, rise.inclusive, rise.exclusive, rise.primitive, 0});
  }

  // The moments between a call and its first line belong to the line that runs first: nearly always the lowest.
  static void fold_entry(std::vector<Sums>& sums) {
    auto first = std::find_if(sums.begin() + kFirstLineSlot, sums.end(), [](const Sums& sum) { return sum.hits != 0; });
    if (first == sums.end()) first = sums.begin() + kFirstLineSlot;
    first->inclusive += sums[kEntrySlot].inclusive;
    first->exclusive += sums[kEntrySlot].exclusive;
  }

  void write_lines(const CodeRecord& record, std::uint32_t step) {
    std::vector<Sums> sums;
    for (const auto& slot : ThreadSlots::instance().all()) {
      const LineCounter* lines = slot->line_tables.get(record.id);
      if (lines == nullptr) continue;
      sums.resize(record.slot_count);
      for (std::uint32_t i = 0; i < record.slot_count; ++i) sums[i].add(lines[i]);
    }
    if (sums.empty()) return;
    fold_entry(sums);
    auto& before = lines_[record.id];
    before.resize(record.slot_count);
    for (std::uint32_t i = kWholeSlot; i < record.slot_count; ++i) {
      const Sums rise = sums[i].since(before[i]);
      before[i] = sums[i];
      const std::uint32_t line = i == kWholeSlot ? 0 : static_cast<std::uint32_t>(record.base_line) + i;
      if (!rise.empty()) put(TallyKind::line, code_id(record, flags_of(record)), line, step, rise);
    }
  }

  void write_calls(std::uint32_t step) {
    std::map<std::uint32_t, std::pair<const Callable*, Sums>> sums;
    for (const auto& slot : ThreadSlots::instance().all()) {
      for (std::uint32_t id = 0; id < slot->functions.size(); ++id) {
        const FunctionCounter* counter = slot->functions.get(id);
        if (counter == nullptr) continue;
        sums[id].first = counter->callable;
        sums[id].second.add(*counter);
      }
    }
    for (const auto& [id, sum] : sums) {
      const Sums rise = sum.second.since(calls_[id]);
      calls_[id] = sum.second;
      if (!rise.empty()) put(TallyKind::call, callable_id(*sum.first), 0, step, rise);
    }
  }

  void write_edges(std::uint32_t step) {
    std::map<std::pair<const Callable*, const Callable*>, Sums> sums;
    for (const auto& slot : ThreadSlots::instance().all()) {
      for (const auto& edge : slot->calls.edges().edges()) {
        sums[{edge->caller->callable, edge->callee->callable}].add(*edge);
      }
    }
    for (const auto& [pair, sum] : sums) {
      Sums& before = edges_[{pair.first->id, pair.second->id}];
      const Sums rise = sum.since(before);
      before = sum;
      if (!rise.empty()) put(TallyKind::edge, callable_id(*pair.second), callable_id(*pair.first), step, rise);
    }
  }

  std::uint32_t callable_id(const Callable& callable) {
    if (callable.file == "~") return code_id(callable, kCodeBuiltin);
    return code_id(callable, flags_of(static_cast<const CodeRecord&>(callable)));
  }

  std::uint32_t epoch_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ids_;  // by callable id: code id, flags
  std::map<std::uint32_t, std::vector<Sums>> lines_;
  std::map<std::uint32_t, Sums> calls_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Sums> edges_;
};

void write_now(std::uint32_t step) noexcept {
  if (!Py_IsInitialized() || !PyGILState_Check()) return;
  static auto* writer = new TallyWriter;
  writer->write(step);
}

void at_step(std::uint32_t ended_step) noexcept { write_now(ended_step); }
void at_stop() noexcept { write_now(record::current_step()); }

}  // namespace

void install_tally_writer() {
  record::add_step_observer(at_step);
  record::add_stop_observer(at_stop);
}

}  // namespace laptime::python
