#include "collect/cuda/driver_memory.h"

#include "collect/cuda/driver_calls.h"
#include "record/collector.h"

namespace laptime::cuda {

namespace {

enum class Kind { none, allocate, allocate_rows, release };

constexpr Kind kind_of(std::uint32_t id) {
  switch (id) {
#define LAPTIME_CASE(name, number) case number:
    LAPTIME_CUDA_ALLOCATE_CALLS(LAPTIME_CASE) return Kind::allocate;
    LAPTIME_CUDA_ALLOCATE_ROWS_CALLS(LAPTIME_CASE) return Kind::allocate_rows;
    LAPTIME_CUDA_RELEASE_CALLS(LAPTIME_CASE) return Kind::release;
#undef LAPTIME_CASE
    default:
      return Kind::none;
  }
}

// The first parameters of the calls.
struct AllocateParameters {
  const std::uint64_t* address;
  std::size_t bytes;
};
struct AllocateRowsParameters {
  const std::uint64_t* address;
  const std::size_t* pitch;
  std::size_t width, height;
};
struct ReleaseParameters {
  std::uint64_t address;
};

}  // namespace

void DriverMemory::enable(bool on) {
  if (!requested_.load()) return;
#define LAPTIME_ENABLE(name, number) (void)api_.enable_callback(on, kDriverDomain, number);
  LAPTIME_CUDA_ALLOCATE_CALLS(LAPTIME_ENABLE)
  LAPTIME_CUDA_ALLOCATE_ROWS_CALLS(LAPTIME_ENABLE)
  LAPTIME_CUDA_RELEASE_CALLS(LAPTIME_ENABLE)
#undef LAPTIME_ENABLE
}

void DriverMemory::on_driver_call(std::uint32_t id, const CallbackData& call) {
  const Kind kind = kind_of(id);
  if (kind == Kind::none) return;
  const bool failed =
      call.site == kExit && call.return_value && *static_cast<const int*>(call.return_value) != 0;
  if (!call.parameters || failed || (kind == Kind::release) != (call.site == kEnter)) return;
  if (kind != Kind::release)
    allocated(id, call);
  else if (const std::uint64_t address =
               static_cast<const ReleaseParameters*>(call.parameters)->address)
    record::put_memory(SpanKind::release, address, 0, device_name(call.context));
}

void DriverMemory::allocated(std::uint32_t id, const CallbackData& call) {
  const auto& one = *static_cast<const AllocateParameters*>(call.parameters);
  std::uint64_t bytes = one.bytes;
  if (kind_of(id) == Kind::allocate_rows) {
    const auto& rows = *static_cast<const AllocateRowsParameters*>(call.parameters);
    bytes = (rows.pitch ? *rows.pitch : rows.width) * rows.height;
  }
  if (one.address && *one.address)
    record::put_memory(SpanKind::allocate, *one.address, bytes, device_name(call.context));
}

std::uint32_t DriverMemory::device_name(void* context) {
  std::uint32_t device = 0;
  if (!context || api_.device_of(context, &device) != kSuccess) device = 0;
  std::atomic<std::uint32_t>& known = names_[device % names_.size()];
  if (const std::uint32_t name = known.load(std::memory_order_relaxed)) return name;
  const std::uint32_t name = record::add_device({DeviceKind::cuda, device});
  known.store(name, std::memory_order_relaxed);
  return name;
}

}  // namespace laptime::cuda
