#include "collect/python/functions/function_engine.h"

#include "base/clock.h"
#include "collect/python/tick_rate.h"

namespace laptime::python {

FunctionEngine& FunctionEngine::instance() {
  static auto* engine = new FunctionEngine;
  return *engine;
}

bool FunctionEngine::start(const FunctionOptions& options) {
  ++epoch_;
  budget_.start(options.budget, ticks_per_second(), ticks());
  if (!attach_functions(options.builtins)) return false;
  running_ = true;
  return true;
}

void FunctionEngine::stop() {
  if (!running_) return;
  const std::uint64_t now = ticks();
  running_ = false;
  detach_functions();
  for (const auto& slot : ThreadSlots::instance().all()) slot->calls.leave_all(now);
}

void FunctionEngine::pay(ThreadSlot* slot, CodeRecord* record) {
  const std::uint64_t now = ticks();
  if (slot->name.empty()) ThreadSlots::name(slot);
  const std::int32_t events = slot->call_meter.restart(now);
  record->sampled_events += static_cast<std::uint64_t>(events);
  if (budget_.spend(events, call_ticks_, now) || record->sampled_events <= 1500) return;
  record->function_level = Level::off;
  for (const auto& other : ThreadSlots::instance().all()) other->calls.forget(record->code, now);
}

void FunctionEngine::begin_probe() {
  saved_.clear();
  for (const auto& slot : ThreadSlots::instance().all()) {
    SavedCounters& saved = saved_.emplace_back();
    saved.meter = slot->call_meter;
    for (std::uint32_t id = 0; id < slot->functions.size(); ++id) {
      const FunctionCounter* counter = slot->functions.get(id);
      saved.functions.push_back(counter != nullptr ? static_cast<const CallCounter&>(*counter)
                                                   : CallCounter{});
    }
    for (const auto& edge : slot->calls.edges().edges()) saved.edges.push_back(*edge);
  }
}

void FunctionEngine::end_probe() {
  const auto& slots = ThreadSlots::instance().all();
  saved_.resize(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    ThreadSlot& slot = *slots[i];
    SavedCounters& saved = saved_[i];
    slot.call_meter = saved.meter;
    saved.functions.resize(slot.functions.size());
    for (std::uint32_t id = 0; id < slot.functions.size(); ++id) {
      if (FunctionCounter* counter = slot.functions.get(id))
        static_cast<CallCounter&>(*counter) = saved.functions[id];
    }
    saved.edges.resize(slot.calls.edges().edges().size());
    for (std::size_t e = 0; e < saved.edges.size(); ++e)
      static_cast<CallCounter&>(*slot.calls.edges().edges()[e]) = saved.edges[e];
  }
  saved_.clear();
}

void FunctionEngine::settle_all(std::uint64_t now) {
  if (!running_) return;
  for (const auto& slot : ThreadSlots::instance().all()) slot->calls.settle(now);
}

void FunctionEngine::clear() {
  settle_all(ticks());
  ++clears_;
  const auto reset = [](CallCounter& counter) {
    counter.calls = counter.recursive_calls = counter.own = counter.cumulative = 0;
  };
  for (const auto& slot : ThreadSlots::instance().all()) {
    for (std::uint32_t id = 0; id < slot->functions.size(); ++id) {
      if (FunctionCounter* counter = slot->functions.get(id)) reset(*counter);
    }
    for (const auto& edge : slot->calls.edges().edges()) reset(*edge);
    slot->call_meter = {};
  }
  if (running_) return;
  for (const auto& record : CodeRegistry::instance().records())
    record->function_level = Level::calls;
}

std::uint64_t FunctionEngine::slips() const {
  std::uint64_t total = 0;
  for (const auto& slot : ThreadSlots::instance().all()) total += slot->calls.slips();
  return total;
}

std::uint64_t FunctionEngine::events() const {
  std::uint64_t total = 0;
  for (const auto& slot : ThreadSlots::instance().all()) total += slot->call_meter.total();
  return total;
}

}  // namespace laptime::python
