#include "collect/torch/memory_recorder.h"

#include <atomic>

#include "record/collector.h"

namespace laptime::torch {

namespace {

std::atomic<std::uint32_t> not_followed_loss{0};

std::uint64_t number(const void* address) { return reinterpret_cast<std::uint64_t>(address); }

std::uint32_t cpu_name() {
  static const std::uint32_t name = record::intern("cpu");
  return name;
}

void allocated(const void* address, std::uint64_t bytes) { record::put_memory(SpanKind::allocate, number(address), bytes, cpu_name()); }

// Only the allocator knows the size, and not every one can be asked: the allocation's record has it.
void released(const void* address) { record::put_memory(SpanKind::release, number(address), 0, cpu_name()); }

void has_role(const void* address, std::uint64_t bytes, std::uint32_t role) {
  const std::uint64_t now = ticks();
  const record::Arg size{0, ArgType::integer, bytes};
  record::put_span({now, now, role, SpanKind::tensor_role, 0, number(address)}, &size, 1);
}

void not_followed() { record::lose(not_followed_loss.load(std::memory_order_relaxed)); }

}  // namespace

const LaptimeMemoryHost& memory_host() {
  static constexpr LaptimeMemoryHost host{LAPTIME_MEMORY_VERSION, &allocated, &released, &has_role, &not_followed};
  return host;
}

void begin_memory() {
  cpu_name();
  not_followed_loss = record::loss_index("memory_not_followed", Severity::warning,
                                         "blocks of memory from an allocator that does not tell of their end; left out");
  record::lose(record::loss_index("memory_from_before", Severity::info,
                                  "times that recording of memory began while blocks of unknown size were alive; of these only "
                                  "parameters, buffers, gradients and optimizer state are counted"));
}

}  // namespace laptime::torch
