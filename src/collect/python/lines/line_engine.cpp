#include "collect/python/lines/line_engine.h"

#include <frameobject.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "collect/python/code/learnt_levels.h"
#include "collect/python/code/source_keeper.h"
#include "collect/python/interpreter/python_text.h"
#include "collect/python/lines/line_event_cost.h"
#include "collect/python/tick_rate.h"

namespace laptime::python {

namespace {
// The most that line events may add to one call that runs each line once. Shorter code may run by
// line until the budget has paid for it.
constexpr double kLongestPassSeconds = 0.005;
}  // namespace

LineEngine& LineEngine::instance() {
  static auto* engine = new LineEngine;
  return *engine;
}

bool LineEngine::start(const LineOptions& options) {
  const bool only = options.explicit_only || !options.only.empty();
  if (generation_ == 0 || only || explicit_only_ ||
      !user_code_.same_as(options.rules, options.predicate))
    ++generation_;
  explicit_only_ = only;
  user_code_.configure(options.rules, options.predicate);
  Py_XINCREF(options.statement_reader);
  statement_reader_ = OwnedRef(options.statement_reader);
  ++epoch_;
  started_ = ticks();
  budget_.start(options.budget, ticks_per_second(), started_);
  for (PyObject* code : options.only) watch(code);
  for (const auto& record : CodeRegistry::instance().records()) {
    if (record->sessions != 0 && record->code != nullptr) watch(record->code);
  }
  if (!attach_lines(only)) return false;
  running_ = true;
  for (const auto& record : CodeRegistry::instance().records()) {
    const bool watched = record->sessions != 0 ||
                         (only && record->user && record->verdict_generation == generation_);
    if (watched && record->code != nullptr) arm_lines(record.get());
  }
  enter_running_frames();
  return true;
}

void LineEngine::stop() {
  if (!running_) return;
  const std::uint64_t now = ticks();
  running_ = false;
  detach_lines();
  for (const auto& slot : ThreadSlots::instance().all()) slot->lines.pop_all(now);
}

void LineEngine::watch(PyObject* code) {
  CodeRecord* record = CodeRegistry::instance().find_or_add(code);
  record->verdict_generation = generation_;
  record->user = record->slot_count != 0;
  if (record->user) {
    read_statements(record);
    estimate_cost(record);
  }
  if (running_) arm_lines(record);
}

CodeRecord* LineEngine::classify(PyObject* code) {
  const ErrorGuard guard;
  ThreadSlot* slot = ThreadSlots::current();
  const bool outer = std::exchange(slot->inside_engine, true);
  const std::string file = bytes_of(reinterpret_cast<PyCodeObject*>(code)->co_filename);
  auto& registry = CodeRegistry::instance();
  if (!explicit_only_ && user_code_.is_user(reinterpret_cast<PyCodeObject*>(code), file)) {
    CodeRecord* record = registry.find_or_add(code);
    SourceKeeper::instance().keep(record->file, record->name == "<module>");
    read_statements(record);
    record->user = record->slot_count != 0;
    record->verdict_generation = generation_;
    estimate_cost(record);
  } else {
    registry.mark_library(code, generation_);
  }
  slot->inside_engine = outer;
  return CodeRegistry::find(code);
}

const std::vector<int>& LineEngine::first_lines_of(const std::string& file) {
  const auto known = statements_.find(file);
  if (known != statements_.end()) return known->second;
  const ErrorGuard guard;
  OwnedRef result(PyObject_CallFunction(statement_reader_.get(), "N", text_from(file)));
  OwnedRef lines(result ? PySequence_Fast(result.get(), "not a sequence") : nullptr);
  std::vector<int> first_lines;
  for (Py_ssize_t i = 0; lines && i < PySequence_Fast_GET_SIZE(lines.get()); ++i) {
    first_lines.push_back(
        static_cast<int>(PyLong_AsLong(PySequence_Fast_GET_ITEM(lines.get(), i))));
  }
  PyErr_Clear();
  // Another thread may have done the same meanwhile: same result.
  return statements_[file] = std::move(first_lines);
}

void LineEngine::read_statements(CodeRecord* record) {
  if (!statement_reader_ || !record->statements.empty()) return;
  const std::vector<int>& first_lines = first_lines_of(record->file);
  if (first_lines.empty()) return;
  join_statements(*record, first_lines);
  for (const auto& thread : ThreadSlots::instance().all()) thread->apply_statements(record);
}

void LineEngine::estimate_cost(CodeRecord* record) {
  LineEventCosts costs = line_event_costs(*record, line_event_ticks_);
  record->has_costly_lines = !costs.by_slot.empty();
  record->event_costs = std::move(costs.by_slot);
  const bool runs_once = record->name == "<module>";
  if (runs_once || record->sessions != 0 || !budget_.limited() || explicit_only_) return;
  record->level = std::max(record->level,
                           LearntLevels::instance().level_of(*record, ticks(), ticks_per_second()));
  const double pass_seconds =
      static_cast<double>(costs.one_pass) * line_event_ticks_ / ticks_per_second();
  if (pass_seconds > kLongestPassSeconds) record->level = std::max(record->level, Level::calls);
}

std::vector<LineEngine::RunningFrame> LineEngine::running_frames(PyThreadState* thread) {
  const ErrorGuard guard;
  std::vector<RunningFrame> frames;
  OwnedRef frame(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(thread)));
  while (frame) {
    auto* object = reinterpret_cast<PyFrameObject*>(frame.get());
    OwnedRef code(reinterpret_cast<PyObject*>(PyFrame_GetCode(object)));
    if (CodeRecord* record = traced(code.get());
        record != nullptr && record->level <= Level::calls) {
      const int line = PyFrame_GetLineNumber(object);
      frames.push_back(
          {record, record->level == Level::lines ? slot_of_line(*record, line) : kWholeSlot});
    }
    frame = OwnedRef(reinterpret_cast<PyObject*>(PyFrame_GetBack(object)));
  }
  return frames;
}

void LineEngine::rebuild(ThreadSlot* slot, PyThreadState* thread, std::uint64_t since,
                         const PyObject* entering) {
  std::vector<RunningFrame> frames = running_frames(thread);
  const bool first_time = slot->line_epoch != epoch_;
  slot->lines.pop_all(since);
  slot->line_epoch = epoch_;
  if (slot->name.empty()) ThreadSlots::name(slot);
  if (!frames.empty() && frames.front().record->code == entering) frames.erase(frames.begin());
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    slot->lines.push(frame->record, slot->lines_of(frame->record), frame->line_slot, since);
  }
  slot->late_depth =
      first_time ? slot->lines.depth() : std::min(slot->late_depth, slot->lines.depth());
}

void LineEngine::enter_passing_on(ThreadSlot* slot, std::uint64_t now, bool shown) {
  std::vector<RunningFrame> frames = running_frames(PyThreadState_Get());
  if (shown && !frames.empty()) frames.erase(frames.begin());
  const std::size_t known = slot->lines.depth();
  for (std::size_t i = frames.size() > known ? frames.size() - known : 0; i-- > 0;) {
    slot->lines.push_passing_on(frames[i].record, slot->lines_of(frames[i].record),
                                frames[i].line_slot, now);
  }
}

void LineEngine::charge_closing(ThreadSlot* slot, CodeRecord* record, std::uint32_t line_slot) {
  const LineFrame* closer = slot->lines.top();
  Closing& closing = slot->closing;
  if (slot->lines.empty() || closing.depth != slot->lines.depth() ||
      closing.opened != closer->opened) {
    closing = {slot->lines.depth(), closer->opened, closer->child};
    return;
  }
  LineCounter& line =
      slot->lines_of(record)[record->level == Level::lines ? line_slot : kWholeSlot];
  if (line.depth == 0) line.inclusive += closer->child - closing.child;
}

LineFrame* LineEngine::realign(ThreadSlot* slot, const PyObject* code, std::uint64_t now) {
  if (slot->line_epoch != epoch_) {
    rebuild(slot, PyThreadState_Get(), started_, nullptr);
  } else {
    ++realignments_;
    rebuild(slot, PyThreadState_Get(), now, nullptr);
  }
  LineFrame* top = slot->lines.top();
  return top->code == code ? top : nullptr;
}

void LineEngine::enter_running_frames() {
  started_ = ticks();
  for (PyThreadState* thread = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
       thread != nullptr; thread = PyThreadState_Next(thread)) {
    const std::vector<RunningFrame> frames = running_frames(thread);
    if (frames.empty()) continue;
    for (const RunningFrame& frame : frames) arm_lines(frame.record);
    rebuild(ThreadSlots::instance().of_thread(thread->thread_id), thread, started_, nullptr);
  }
}

void LineEngine::enter_demoted(ThreadSlot* slot, CodeRecord* record, std::uint64_t now) {
  if (record->level == Level::calls) {
    LineCounter* lines = slot->lines_of(record);
    ++lines[kWholeSlot].hits;
    slot->lines.push(record, lines, kWholeSlot, now);
  } else {
    ++slot->lines_of(record)[kWholeSlot].hits;
  }
  if (record->level == Level::off) return;
  if (record->level == Level::calls) slot->line_meter.left -= call_events_ - 1;
  meter(slot, record, now);
}

void LineEngine::pay(ThreadSlot* slot, CodeRecord* record, std::uint64_t now) {
  const std::int32_t events = slot->line_meter.restart(now);
  record->sampled_events += static_cast<std::uint64_t>(events);
  // One sample may be chance. Code that is sampled twice has the events.
  const bool may_be_demoted = record->sessions == 0 && record->sampled_events > 1500;
  if (!budget_.spend(events, line_event_ticks_, now) && may_be_demoted) demote(record, now);
}

void LineEngine::demote(CodeRecord* record, std::uint64_t now) {
  if (record->level == Level::off) return;
  record->level = static_cast<Level>(static_cast<int>(record->level) + 1);
  record->sampled_events = 0;
  for (const auto& slot : ThreadSlots::instance().all()) {
    if (slot->line_epoch != epoch_) continue;
    if (record->level == Level::calls) slot->lines.move_to_whole(record, now);
    if (record->level == Level::counts) slot->lines.remove(record, now);
  }
  if (record->code != nullptr) arm_lines(record);
  LearntLevels::instance().add(*record);
}

void LineEngine::promote(CodeRecord* record) {
  record->level = Level::lines;
  record->sampled_events = 0;
  if (running_ && record->code != nullptr) arm_lines(record);
}

void LineEngine::skip_since(std::uint64_t begin) {
  ThreadSlot* const slot = ThreadSlots::current();
  if (begin != 0 && running_ && slot->line_epoch == epoch_) slot->lines.skip(begin, ticks());
}

void LineEngine::settle_all(std::uint64_t now) {
  if (!running_) return;
  for (const auto& slot : ThreadSlots::instance().all()) {
    if (slot->line_epoch == epoch_) slot->lines.settle(now);
  }
}

void LineEngine::forget(CodeRecord* record) {
  record->sampled_events = 0;
  for (const auto& slot : ThreadSlots::instance().all()) {
    LineCounter* lines = slot->line_tables.get(record->id);
    for (std::uint32_t i = 0; lines != nullptr && i < record->slot_count; ++i) {
      lines[i].hits = lines[i].inclusive = lines[i].exclusive = 0;
    }
  }
}

void LineEngine::forget(PyObject* code) {
  CodeRecord* record = CodeRegistry::find(code);
  if (record != nullptr && !record->shared_library_mark) forget(record);
  for (const auto& slot : ThreadSlots::instance().all()) slot->line_meter = {};
}

void LineEngine::clear() {
  settle_all(ticks());
  ++clears_;
  for (const auto& record : CodeRegistry::instance().records()) {
    // while running, code that was too expensive stays demoted
    if (!running_) record->level = Level::lines;
    forget(record.get());
  }
  for (const auto& slot : ThreadSlots::instance().all()) slot->line_meter = {};
  realignments_ = 0;
}

bool LineEngine::in_step() {
  ThreadSlot* slot = slot_for_event(nullptr);
  const std::vector<RunningFrame> frames = running_frames(PyThreadState_Get());
  if (frames.size() != slot->lines.depth()) return false;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (slot->lines.at(frames.size() - i)->record != frames[i].record) return false;
  }
  return true;
}

void LineEngine::set_event_cost(double line_ticks, double entry_ticks, double call_ticks) {
  const auto in_line_events = [&](double ticks) {
    return std::max(1, static_cast<std::int32_t>(std::lround(ticks / line_ticks)));
  };
  line_event_ticks_ = line_ticks;
  entry_events_ = in_line_events(entry_ticks);
  call_events_ = in_line_events(call_ticks);
}

std::uint64_t LineEngine::events() const {
  std::uint64_t total = 0;
  for (const auto& slot : ThreadSlots::instance().all()) total += slot->line_meter.total();
  return total;
}

}  // namespace laptime::python
