#include "collect/torch/memory_recorder.h"

#include <array>
#include <atomic>
#include <string>

#include "format/device.h"
#include "format/names.h"
#include "record/collector.h"

namespace laptime::torch {

namespace {

std::atomic<std::uint32_t> not_followed_warning{0};

std::uint64_t number(const void* address) { return reinterpret_cast<std::uint64_t>(address); }

constinit std::array<std::atomic<std::uint32_t>, LAPTIME_MEMORY_DEVICES> device_names{};
static_assert(LAPTIME_MEMORY_CPU == -1);

Device device_of(int device) {
  return device == LAPTIME_MEMORY_CPU
             ? Device{}
             : Device{DeviceKind::cuda, static_cast<std::uint32_t>(device)};
}

std::uint32_t name_of(int device) {
  std::atomic<std::uint32_t>& known =
      device_names[static_cast<unsigned>(device + 1) % device_names.size()];
  if (const std::uint32_t name = known.load(std::memory_order_relaxed)) return name;
  const std::uint32_t name = record::add_device(device_of(device));
  known.store(name, std::memory_order_relaxed);
  return name;
}

void allocated(int device, const void* address, std::uint64_t bytes) {
  record::put_memory(SpanKind::allocate, number(address), bytes, name_of(device));
}

// The size is unknown here: only the allocator has it, and some cannot be queried. The allocation's
// record has the size.
void released(int device, const void* address) {
  record::put_memory(SpanKind::release, number(address), 0, name_of(device));
}

void has_role(int device, const void* address, std::uint64_t bytes, std::uint32_t role) {
  const std::uint64_t now = ticks();
  const record::Arg args[] = {{ArgKey::bytes, ArgType::integer, bytes},
                              {ArgKey::device, ArgType::string, name_of(device)}};
  record::put_span({now, now, role, SpanKind::tensor_role, 0, number(address)}, args,
                   device == LAPTIME_MEMORY_CPU ? 1 : 2);
}

void reserved(int device, std::uint64_t bytes) {
  const std::string name = reserved_name(device_name(device_of(device)));
  record::put_value(ticks(), record::intern(name), static_cast<double>(bytes));
}

void not_followed() { record::warn(not_followed_warning.load(std::memory_order_relaxed)); }

}  // namespace

const LaptimeMemoryHost& memory_host() {
  static constexpr LaptimeMemoryHost host{
      LAPTIME_MEMORY_VERSION, device_names.data(), &allocated, &released, &has_role, &reserved,
      &not_followed};
  return host;
}

void begin_memory() {
  (void)name_of(LAPTIME_MEMORY_CPU);
  not_followed_warning = record::warning_index(
      "memory_not_followed", Severity::warning,
      "memory blocks left out: their allocator does not report their release");
  record::warn(record::warning_index(
      warning_name::kMemoryFromBefore, Severity::info,
      "times that recording of memory began while blocks of unknown size were alive; of these only "
      "parameters, buffers, gradients and optimizer state are counted"));
}

}  // namespace laptime::torch
