#include "collect/jax/python/last_event.h"

#include <atomic>

namespace laptime::jax {

namespace {

std::atomic<std::uint64_t> last{0};

}  // namespace

void note_event(std::uint64_t moment) { last.store(moment, std::memory_order_relaxed); }
std::uint64_t last_event() { return last.load(std::memory_order_relaxed); }

}  // namespace laptime::jax
