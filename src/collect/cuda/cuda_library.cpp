// liblaptime_cuda.so: the collector as a library with a C interface. It is loaded in two ways: by the Python package, and by the
// CUDA driver itself in any program whose environment has CUDA_INJECTION64_PATH.
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>

#include "base/nsight.h"
#include "collect/cuda/cuda_collector.h"
#include "collect/cuda/gpu_losses.h"
#include "collect/cuda/kernel_places.h"
#include "collect/cuda/torch_context.h"
#include "collect/cuda/xla_places.h"
#include "record/collector.h"

using namespace laptime;
using namespace laptime::cuda;

namespace {

std::atomic<bool> deferred{false};
std::atomic<PlaceFunction> places{nullptr};  // for the collector, once there is one

// Null where there is no CUDA to record, which is said once.
CudaCollector* collector() {
  static std::mutex making;
  static CudaCollector* made = nullptr;
  static bool tried = false;
  const std::lock_guard lock(making);
  if (std::exchange(tried, true)) return made;
  std::string problem;
  const char* const nsight = nsight_around();
  CudaApi* const api = nsight ? nullptr : load_cuda_api(problem);
  if (nsight) problem = std::string("it is left to ") + nsight;
  if (!api) {
    record::say("GPU is not recorded: " + problem);
    lose(kNoGpu);
    return nullptr;
  }
  made = new CudaCollector(*api);
  made->context().set_place_function(places.load());
  record::add_stop_observer(+[]() noexcept { made->stop(); });
  // Handlers run in reverse order: this one before the driver's, which came earlier. The recording ends after both, and the flush thread
  // lives even longer: CUPTI would be asked when there is no driver any more.
  std::atexit([] { made->end(); });
  return made;
}

bool start() {
  CudaCollector* const gpu = collector();
  if (!gpu || !gpu->on()) return false;
  gpu->start_flush_thread();
  return true;
}

}  // namespace

extern "C" {

// The numbers of cuda::State. idle: the program has not loaded CUDA yet, ask again later.
LAPTIME_API int laptime_cuda_on(void) {
  if (!record::on() || !cuda_is_loaded()) return static_cast<int>(State::idle);
  return static_cast<int>(start() ? State::capturing : State::failed);
}
LAPTIME_API void laptime_cuda_off(int finalize) {
  if (!cuda_is_loaded()) return;
  if (CudaCollector* const gpu = collector()) gpu->off(finalize != 0);
}
LAPTIME_API int laptime_cuda_state(void) {
  if (!cuda_is_loaded()) return static_cast<int>(State::idle);
  CudaCollector* const gpu = collector();
  return static_cast<int>(gpu ? gpu->state() : State::failed);
}
// Launches and GPU records so far.
LAPTIME_API void laptime_cuda_counts(std::uint64_t* launches, std::uint64_t* records) {
  CudaCollector* const gpu = cuda_is_loaded() ? collector() : nullptr;
  const CudaCollector::Counts counts = gpu ? gpu->counts() : CudaCollector::Counts{};
  *launches = counts.launches;
  *records = counts.records;
}
LAPTIME_API void laptime_cuda_flush(void) {
  if (CudaCollector* const gpu = cuda_is_loaded() ? collector() : nullptr) gpu->flush();
}

// Also before the program has loaded CUDA.
LAPTIME_API void laptime_cuda_set_places(PlaceFunction function) {
  places.store(function);
  if (CudaCollector* const gpu = cuda_is_loaded() ? collector() : nullptr) gpu->context().set_place_function(function);
}
LAPTIME_API void laptime_cuda_set_op_places(OpPlaceFunction function) {
  if (CudaCollector* const gpu = cuda_is_loaded() ? collector() : nullptr) gpu->context().set_op_place_function(function);
}
LAPTIME_API void laptime_cuda_name_kernel(const char* kernel, std::uint32_t place) { KernelPlaces::get().add(kernel, place); }
LAPTIME_API void laptime_cuda_name_instruction(const char* module, const char* instruction, std::uint32_t place) { XlaPlaces::get().add(module, instruction, place); }
LAPTIME_API int laptime_cuda_bind_torch(void) { return TorchContext::get().bind() ? 1 : 0; }
// For the caller's proof: the calling thread's running node; 0: none runs.
LAPTIME_API int laptime_cuda_current_node(std::int64_t* sequence, std::uint64_t* thread) {
  const TorchContext::Node node = TorchContext::get().current_node();
  *sequence = node.sequence;
  *thread = node.thread;
  return node.running ? 1 : 0;
}
LAPTIME_API void laptime_cuda_next_node(std::int64_t* sequence, std::uint64_t* thread) {
  *sequence = TorchContext::get().made_nodes();
  *thread = TorchContext::get().thread();
}
LAPTIME_API void laptime_cuda_set_nodes(int on) {
  CudaCollector* const gpu = cuda_is_loaded() ? collector() : nullptr;
  if (!gpu) return;
  if (on != 0)
    gpu->context().add_nodes();
  else
    gpu->context().leave_out_nodes();
}

// Somebody in this process will say when to record: loading by the driver is no longer a reason to.
LAPTIME_API void laptime_cuda_defer(void) { deferred.store(true); }

// Called by the driver while it is initialised. 1: success.
LAPTIME_API int InitializeInjection(void) {
  if (!record::on() || deferred.load()) return 1;
  if (CudaCollector* const gpu = collector()) gpu->want_driver_memory();
  start();
  return 1;
}

}  // extern "C"
