#include "collect/python/function_engine.h"

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
  record->blamed_events += static_cast<std::uint64_t>(events);
  if (budget_.spend(events, call_ticks_, now) || record->blamed_events <= 1500) return;
  record->function_level = Level::off;
  for (const auto& other : ThreadSlots::instance().all()) other->calls.forget(record->code, now);
}

void FunctionEngine::settle_all(std::uint64_t now) {
  if (!running_) return;
  for (const auto& slot : ThreadSlots::instance().all()) slot->calls.settle(now);
}

void FunctionEngine::clear() {
  settle_all(ticks());
  const auto reset = [](CallCounter& counter) { counter.calls = counter.recursive_calls = counter.own = counter.cumulative = 0; };
  for (const auto& slot : ThreadSlots::instance().all()) {
    for (std::uint32_t id = 0; id < slot->functions.size(); ++id) {
      if (FunctionCounter* counter = slot->functions.get(id)) reset(*counter);
    }
    for (const auto& edge : slot->calls.edges().edges()) reset(*edge);
    slot->call_meter = {};
  }
  if (running_) return;
  for (const auto& record : CodeRegistry::instance().records()) record->function_level = Level::calls;
}

std::uint64_t FunctionEngine::events() const {
  std::uint64_t total = 0;
  for (const auto& slot : ThreadSlots::instance().all()) total += slot->call_meter.total();
  return total;
}

}  // namespace laptime::python
