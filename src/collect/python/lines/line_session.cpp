#include "collect/python/lines/line_session.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/clock.h"
#include "collect/python/tick_rate.h"

namespace nb = nanobind;

namespace laptime::python {

void LineSession::settle(ThreadSlot* slot) {
  const LineEngine& engine = LineEngine::instance();
  if (engine.running() && slot->line_epoch == engine.epoch()) slot->lines.settle(ticks());
}

std::vector<LineSession::Counts> LineSession::read(const ThreadSlot* slot) const {
  std::vector<Counts> result(totals_.size());
  for (const Watched& watched : watched_) {
    const LineCounter* lines = slot->line_tables.get(watched.record->id);
    if (lines == nullptr) continue;
    for (std::uint32_t i = 0; i < watched.record->slot_count; ++i) {
      result[watched.offset + i] = {lines[i].hits, lines[i].inclusive};
    }
  }
  return result;
}

void LineSession::add_since(const ThreadSlot* slot, const std::vector<Counts>& base,
                            std::vector<Counts>& sums) const {
  const std::vector<Counts> now = read(slot);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const Counts before = i < base.size() ? base[i] : Counts{};
    sums[i].hits += now[i].hits - before.hits;
    sums[i].ticks += now[i].ticks - before.ticks;
  }
}

void LineSession::add(nb::object code) {
  if (!PyCode_Check(code.ptr())) throw nb::type_error("a code object is expected");
  LineEngine::instance().watch(code.ptr());
  CodeRecord* record = CodeRegistry::find(code.ptr());
  if (record->level != Level::lines) LineEngine::instance().promote(record);
  ++record->sessions;
  watched_.push_back({std::move(code), record, totals_.size()});
  totals_.resize(totals_.size() + record->slot_count);
  for (auto& [slot, enabled] : threads_) {
    if (!counts_on(enabled)) continue;
    const std::vector<Counts> now = read(slot);
    enabled.base.resize(watched_.back().offset);  // empty for a thread that began while all were on
    enabled.base.insert(enabled.base.end(),
                        now.begin() + static_cast<std::ptrdiff_t>(enabled.base.size()), now.end());
  }
}

LineSession::~LineSession() {
  for (const Watched& watched : watched_) --watched.record->sessions;
}

void LineSession::enable() {
  ThreadSlot* slot = ThreadSlots::current();
  Enabled& enabled = threads_[slot];
  if (counts_on(enabled)) return;
  settle(slot);
  enabled.base = read(slot);
  enabled.on = true;
}

void LineSession::disable() {
  ThreadSlot* slot = ThreadSlots::current();
  Enabled& enabled = threads_[slot];
  if (everywhere_ > 0 || !enabled.on) return;
  settle(slot);
  add_since(slot, enabled.base, totals_);
  enabled.on = false;
}

void LineSession::enable_everywhere() {
  Enabled& caller = threads_[ThreadSlots::current()];
  ++caller.depth;
  if (caller.everywhere) return;
  for (const auto& slot : ThreadSlots::instance().all()) {
    Enabled& enabled = threads_[slot.get()];
    if (counts_on(enabled)) continue;
    settle(slot.get());
    enabled.base = read(slot.get());
  }
  caller.everywhere = true;
  ++everywhere_;
}

void LineSession::disable_everywhere() {
  if (--everywhere_ > 0) return;
  for (const auto& slot : ThreadSlots::instance().all()) {
    Enabled& enabled = threads_[slot.get()];
    enabled.on = enabled.on || enabled.depth > 0;
    if (enabled.on) continue;
    settle(slot.get());
    add_since(slot.get(), enabled.base, totals_);
  }
}

void LineSession::enter() {
  if (threads_[ThreadSlots::current()].depth++ == 0) enable();
}

void LineSession::leave() {
  Enabled& enabled = threads_[ThreadSlots::current()];
  if (enabled.depth == 0 || --enabled.depth > 0) return;
  if (std::exchange(enabled.everywhere, false)) disable_everywhere();
  disable();
}

int LineSession::depth() { return threads_[ThreadSlots::current()].depth; }

nb::list LineSession::rows(std::size_t index) const {
  std::vector<Counts> sums = totals_;
  for (const auto& slot : ThreadSlots::instance().all()) {
    const auto known = threads_.find(slot.get());
    const Enabled enabled = known != threads_.end() ? known->second : Enabled{};
    if (counts_on(enabled)) add_since(slot.get(), enabled.base, sums);
  }
  const Watched& watched = watched_.at(index);
  nb::list result;
  if (watched.record->slot_count <= kFirstLineSlot) return result;
  Counts* slots = sums.data() + watched.offset;
  Counts* const end = slots + watched.record->slot_count;
  Counts* const first = std::find_if(slots + kFirstLineSlot, end,
                                     [](const Counts& counts) { return counts.hits != 0; });
  if (first != end) first->ticks += slots[kEntrySlot].ticks;  // between the call and its first line
  for (std::uint32_t slot = kFirstLineSlot; slot < watched.record->slot_count; ++slot) {
    if (slots[slot].hits == 0) continue;
    const double ns =
        static_cast<double>(static_cast<std::int64_t>(slots[slot].ticks)) * ns_per_tick();
    result.append(nb::make_tuple(watched.record->base_line + static_cast<std::int32_t>(slot),
                                 slots[slot].hits,
                                 ns > 0 ? static_cast<std::uint64_t>(std::llround(ns)) : 0));
  }
  return result;
}

void bind_line_session(nb::module_& module) {
  nb::set_leak_warnings(false);  // a profiler that lives until the interpreter ends is no error
  nb::class_<LineSession>(module, "LineSession")
      .def(nb::init<>())
      .def("add", &LineSession::add)
      .def("enter", &LineSession::enter)
      .def("leave", &LineSession::leave)
      .def("enable", &LineSession::enable)
      .def("disable", &LineSession::disable)
      .def("enable_everywhere", &LineSession::enable_everywhere)
      .def("depth", &LineSession::depth)
      .def("rows", &LineSession::rows);
}

}  // namespace laptime::python
