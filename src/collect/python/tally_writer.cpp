#include "collect/python/tally_writer.h"

#include <Python.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "collect/python/code/code_registry.h"
#include "collect/python/code/source_keeper.h"
#include "collect/python/functions/function_engine.h"
#include "collect/python/interpreter/python_support.h"
#include "collect/python/lines/line_engine.h"
#include "record/collector.h"

namespace laptime::python {

namespace {

constexpr std::uint32_t kNoStep = ~0u;  // readers interpret it as "after the last step"

struct Sums {
  std::uint64_t hits = 0, inclusive = 0, exclusive = 0, primitive = 0;

  static Sums of(const LineCounter& c) { return {c.hits, c.inclusive, c.exclusive, 0}; }
  static Sums of(const CallCounter& c) {
    return {c.calls, c.cumulative, c.own, c.calls - c.recursive_calls};
  }
  // Clocks of two cores may differ by some ticks; this avoids negative rows.
  static std::uint64_t rise(std::uint64_t now, std::uint64_t before) {
    return now > before ? now - before : 0;
  }
  Sums since(const Sums& before) const {
    return {rise(hits, before.hits), rise(inclusive, before.inclusive),
            rise(exclusive, before.exclusive), rise(primitive, before.primitive)};
  }
  bool empty() const { return hits == 0 && inclusive == 0 && exclusive == 0; }
};

Sums& at(std::vector<Sums>& sums, std::size_t index) {
  if (index >= sums.size()) sums.resize(index + 1);
  return sums[index];
}

// What was already written of one thread's counters. Edges and functions keep their indexes in the
// thread's tables.
struct Written {
  std::vector<std::vector<Sums>> lines;  // by code record, by line slot
  std::vector<Sums> calls, edges;
  std::uint32_t epoch = 0, track = 0;  // the recording that `track` belongs to
};

// Codes keep their ids over recordings of a process; tracks do not. The counters continue, also
// between recordings: counts from before a recording are ignored when it begins.
class TallyWriter {
 public:
  static TallyWriter& instance() {
    static auto* writer = new TallyWriter;
    return *writer;
  }

  void write(std::uint32_t step) {
    step_ = step;
    passing_over_ = false;
    visit();
    SourceKeeper::instance().keep_new();
  }

  void ignore_counts() {
    passing_over_ = true;
    visit();
  }

 private:
  void visit() {
    const std::uint64_t now = ticks();
    LineEngine::instance().settle_all(now);
    FunctionEngine::instance().settle_all(now);
    follow_resets();
    const auto& slots = ThreadSlots::instance().all();
    written_.resize(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
      slot_ = slots[i].get();
      thread_ = &written_[i];
      for (const auto& record : CodeRegistry::instance().records()) write_lines(*record);
      write_calls();
      write_edges();
    }
  }

  // Counters that were reset begin again at zero.
  void follow_resets() {
    const std::uint32_t lines = LineEngine::instance().clears(),
                        functions = FunctionEngine::instance().clears();
    for (Written& thread : written_) {
      if (lines != line_clears_) thread.lines.clear();
      if (functions != function_clears_) thread.calls.clear(), thread.edges.clear();
    }
    line_clears_ = lines;
    function_clears_ = functions;
  }

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
    std::uint32_t flags = 0;
    if (record.function_level == Level::off) flags |= kCodeCallsCut;
    if (record.level >= Level::counts) flags |= kCodeDemotedToCounts;
    if (record.level == Level::calls) flags |= kCodeDemotedToCalls;
    return flags;
  }

  std::uint32_t callable_id(const Callable& callable) {
    if (callable.file == "~") return code_id(callable, kCodeBuiltin);
    return code_id(callable, flags_of(static_cast<const CodeRecord&>(callable)));
  }

  // Called only if there is something to write: a forked child that counts nothing gets no part.
  std::uint32_t track() {
    if (thread_->track == 0 || thread_->epoch != record::epoch()) {
      thread_->track = record::track_of_thread(
          slot_->os_thread != 0 ? slot_->os_thread : slot_->ident, slot_->name);
      thread_->epoch = record::epoch();
    }
    return thread_->track;
  }

  bool is_written(const Sums& rise) const { return !rise.empty() && !passing_over_; }

  void put(TallyKind kind, std::uint32_t code, std::uint32_t where, const Sums& rise) {
    record::put_tally({kind, code, where, step_, rise.hits, rise.inclusive, rise.exclusive,
                       rise.primitive, 0, track()});
  }

  // The time between a call and its first line belongs to the line that runs first, which is nearly
  // always the lowest.
  static void fold_entry(std::vector<Sums>& sums) {
    auto first = std::find_if(sums.begin() + kFirstLineSlot, sums.end(),
                              [](const Sums& sum) { return sum.hits != 0; });
    if (first == sums.end()) first = sums.begin() + kFirstLineSlot;
    first->inclusive += sums[kEntrySlot].inclusive;
    first->exclusive += sums[kEntrySlot].exclusive;
  }

  void write_lines(const CodeRecord& record) {
    const LineCounter* lines = slot_->line_tables.get(record.id);
    if (lines == nullptr || record.slot_count <= kFirstLineSlot) return;
    std::vector<Sums> sums(record.slot_count);
    std::transform(lines, lines + record.slot_count, sums.begin(),
                   [](const LineCounter& line) { return Sums::of(line); });
    fold_entry(sums);
    if (record.id >= thread_->lines.size()) thread_->lines.resize(record.id + 1);
    std::vector<Sums>& before = thread_->lines[record.id];
    before.resize(record.slot_count);
    for (std::uint32_t i = kWholeSlot; i < record.slot_count; ++i) {
      const Sums rise = sums[i].since(before[i]);
      const std::uint32_t line =
          i == kWholeSlot ? 0 : static_cast<std::uint32_t>(record.base_line) + i;
      if (is_written(rise)) put(TallyKind::line, code_id(record, flags_of(record)), line, rise);
    }
    before = std::move(sums);
  }

  void write_calls() {
    for (std::uint32_t id = 0; id < slot_->functions.size(); ++id) {
      const FunctionCounter* counter = slot_->functions.get(id);
      if (counter == nullptr) continue;
      const Sums now = Sums::of(*counter);
      const Sums rise = now.since(std::exchange(at(thread_->calls, id), now));
      if (is_written(rise)) put(TallyKind::call, callable_id(*counter->callable), 0, rise);
    }
  }

  void write_edges() {
    const auto& edges = slot_->calls.edges().edges();
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const Sums now = Sums::of(*edges[i]);
      const Sums rise = now.since(std::exchange(at(thread_->edges, i), now));
      if (!is_written(rise)) continue;
      put(TallyKind::edge, callable_id(*edges[i]->callee->callable),
          callable_id(*edges[i]->caller->callable), rise);
    }
  }

  const ThreadSlot* slot_ = nullptr;
  Written* thread_ = nullptr;
  std::uint32_t step_ = 0;
  bool passing_over_ = false;
  std::uint32_t line_clears_ = 0, function_clears_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ids_;  // by callable id: code id, flags
  std::vector<Written> written_;                              // by index of the thread slot
};

// Steps that were marked without the GIL and are not written yet: their count, and the last one.
struct Postponed {
  std::uint32_t count = 0, last = 0;
};
std::atomic<Postponed> postponed;
static_assert(std::atomic<Postponed>::is_always_lock_free);

void warn_steps_without_gil(std::uint32_t count) {
  static const char message[] =
      "steps marked by threads without the GIL, while the interpreter was busy: their lines and "
      "functions count for the run, not for a step";
  record::warn(record::warning_index("steps_without_gil", Severity::warning, message), count);
}

void write_step(std::uint32_t ended) {
  const Postponed before = postponed.exchange({});
  if (before.count != 0) warn_steps_without_gil(before.count + 1);
  TallyWriter::instance().write(before.count != 0 ? kNoStep : ended);
}

int write_postponed(void*) {
  const Postponed steps = postponed.exchange({});
  if (steps.count == 0 || !record::on()) return 0;
  if (steps.count > 1) warn_steps_without_gil(steps.count);
  TallyWriter::instance().write(steps.count == 1 ? steps.last : kNoStep);
  return 0;
}

void at_step(std::uint32_t ended_step) noexcept {
  if (!Py_IsInitialized()) return;
  if (holds_gil_of_main_interpreter()) return write_step(ended_step);
  Postponed before = postponed.load();
  while (!postponed.compare_exchange_weak(before, {before.count + 1, ended_step})) {
  }
  // if there is no room, the next mark or the end writes
  Py_AddPendingCall(&write_postponed, nullptr);
}

void at_stop() noexcept {
  if (!Py_IsInitialized() || !holds_gil_of_main_interpreter()) return;
  write_postponed(nullptr);
  TallyWriter::instance().write(record::current_step());
}

}  // namespace

void install_tally_writer() {
  record::add_step_observer(at_step);
  record::add_stop_observer(at_stop);
}

void write_tallies() {
  if (record::on()) TallyWriter::instance().write(record::current_step());
}

void ignore_tallies() { TallyWriter::instance().ignore_counts(); }

}  // namespace laptime::python
