// liblaptime_cuda.so: the collector as a library with a C interface. It is loaded in two ways: by
// the Python package, and by the CUDA driver itself in any program whose environment has
// CUDA_INJECTION64_PATH.
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>

#include "base/os/nsight.h"
#include "collect/cuda/cuda_collector.h"
#include "collect/cuda/cuda_interface.h"
#include "collect/cuda/gpu_warnings.h"
#include "collect/cuda/kernel_call_sites.h"
#include "collect/cuda/nvtx/xla_call_sites.h"
#include "collect/cuda/torch_context.h"
#include "record/collector.h"

using namespace laptime;
using namespace laptime::cuda;

namespace {

std::atomic<bool> deferred{false};
std::atomic<unsigned> early_requests{0};  // cuda::Request, made before the program loaded CUDA

// Settings for the collector, kept until it exists.
struct Settings {
  CallSiteFunction call_sites = nullptr;
  OpCallSiteFunction op_call_sites = nullptr;
  bool nodes = false;
  bool disabled = false;
};
std::mutex making;
Settings settings;
std::atomic<CudaCollector*> made{nullptr};
std::atomic<bool> tried{false};

// Contract: `making` is held.
void apply_settings() {
  CudaCollector* const gpu = made.load();
  if (!gpu) return;
  gpu->set_disabled(settings.disabled);
  gpu->context().set_call_site_function(settings.call_sites);
  gpu->context().set_op_call_site_function(settings.op_call_sites);
  if (settings.nodes)
    gpu->context().add_nodes();
  else
    gpu->context().leave_out_nodes();
}

// Handlers run in reverse order, so this one runs before the driver's, which was registered
// earlier. The recording ends after both, and the flush thread ends even later. Without this
// handler CUPTI would be called after the driver is gone.
void end_at_exit() {
  std::atexit([] { made.load()->end(); });
}

// Contract: `making` is held.
void make_collector() {
  std::string problem;
  const char* const nsight = nsight_around();
  CudaApi* const api = nsight ? nullptr : load_cuda_api(problem);
  if (nsight) problem = std::string("it is left to ") + nsight;
  if (!api) {
    record::print_line("GPU is not recorded: " + problem);
    return;
  }
  made.store(new CudaCollector(*api));
  apply_settings();
  record::add_stop_observer(+[]() noexcept { made.load()->stop(); });
  end_at_exit();
}

// Null if there is no CUDA to record, which is reported once.
CudaCollector* collector() {
  if (!tried.load()) {  // after the first call no lock: a forked child may find it locked
    const std::lock_guard lock(making);
    if (!tried.load()) make_collector();
    tried.store(true);
  }
  return made.load();
}

// Called once per recording.
void warn_no_gpu() {
  static std::atomic<std::uint32_t> warned_epoch{0};
  if (warned_epoch.exchange(record::epoch()) != record::epoch()) warn(kNoGpu);
}

bool start(unsigned who) {
  CudaCollector* const gpu = collector();
  if (!gpu) return warn_no_gpu(), false;
  if (!gpu->on(who)) return false;
  if (!gpu->start_flush_thread()) {
    gpu->off(who, After::leave);
    return warn_no_gpu(), false;
  }
  // The collector may have been made before the driver was initialised and registered its handler.
  static std::once_flag again;
  if (gpu->knows_devices()) std::call_once(again, &end_at_exit);
  return true;
}

}  // namespace

extern "C" {

LAPTIME_API State laptime_cuda_on(unsigned who) {
  if (!record::on()) return State::idle;
  if (!cuda_is_loaded()) return early_requests.fetch_or(who), State::idle;
  return start(who) ? State::capturing : State::failed;
}
LAPTIME_API void laptime_cuda_off(unsigned who, After after) {
  early_requests.fetch_and(~who);
  if (CudaCollector* const gpu = made.load()) gpu->off(who, after);
}
LAPTIME_API void laptime_cuda_set_disabled(int disabled) {
  const std::lock_guard lock(making);
  settings.disabled = disabled != 0;
  apply_settings();
}
LAPTIME_API State laptime_cuda_state(void) {
  if (CudaCollector* const gpu = made.load()) return gpu->state();
  return tried.load() ? State::failed : State::idle;
}
LAPTIME_API void laptime_cuda_counts(std::uint64_t* launches, std::uint64_t* records) {
  CudaCollector* const gpu = made.load();
  const CudaCollector::Counts counts = gpu ? gpu->counts() : CudaCollector::Counts{};
  *launches = counts.launches;
  *records = counts.records;
}
LAPTIME_API void laptime_cuda_flush(void) {
  if (CudaCollector* const gpu = made.load()) gpu->flush();
}

LAPTIME_API void laptime_cuda_set_call_sites(CallSiteFunction function) {
  const std::lock_guard lock(making);
  settings.call_sites = function;
  apply_settings();
}
LAPTIME_API void laptime_cuda_set_op_call_sites(OpCallSiteFunction function) {
  const std::lock_guard lock(making);
  settings.op_call_sites = function;
  apply_settings();
}
LAPTIME_API void laptime_cuda_set_nodes(int on) {
  const std::lock_guard lock(making);
  settings.nodes = on != 0;
  apply_settings();
}
LAPTIME_API void laptime_cuda_name_kernel(const char* kernel, std::uint32_t call_site) {
  KernelCallSites::get().add(kernel, call_site);
}
LAPTIME_API void laptime_cuda_name_instruction(const char* module, const char* instruction,
                                               std::uint32_t call_site) {
  XlaCallSites::get().add(module, instruction, call_site);
}
LAPTIME_API int laptime_cuda_bind_torch(void) { return TorchContext::get().bind() ? 1 : 0; }
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

LAPTIME_API void laptime_cuda_defer(void) { deferred.store(true); }

// The driver calls this while it is initialised. 1: success.
LAPTIME_API int InitializeInjection(void) {
  if (!record::on()) return 1;
  if (deferred.load()) {
    if (const unsigned who = early_requests.exchange(0)) start(who);
    return 1;
  }
  if (CudaCollector* const gpu = collector()) gpu->request_driver_memory();
  start(kRecording);
  return 1;
}

}  // extern "C"
