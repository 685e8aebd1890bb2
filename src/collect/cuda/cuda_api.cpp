#include "collect/cuda/cuda_api.h"

#include <dlfcn.h>
#include <atomic>
#include <cstdlib>

namespace laptime::cuda {

namespace {

constexpr const char* kCuptiNames[] = {"libcupti.so.13", "libcupti.so.12"};
constexpr const char* kToolkitFolders[] = {"extras/CUPTI/lib64", "lib64",
                                           "targets/x86_64-linux/lib"};

void* find_cupti() {
  for (const char* name : kCuptiNames)
    if (void* const library = ::dlopen(name, RTLD_LAZY | RTLD_NOLOAD)) return library;
  for (const char* name : kCuptiNames)
    if (void* const library = ::dlopen(name, RTLD_LAZY)) return library;
  const char* const home = std::getenv("CUDA_HOME");
  for (const std::string& root : {std::string(home ? home : ""), std::string("/usr/local/cuda")})
    for (const char* folder : kToolkitFolders)
      for (const char* name : kCuptiNames)
        if (void* const library =
                root.empty() ? nullptr
                             : ::dlopen((root + '/' + folder + '/' + name).c_str(), RTLD_LAZY))
          return library;
  return nullptr;
}

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

constexpr std::uint32_t kFlushForced = 1;  // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED
constexpr ApiResult kMissing = 11;         // CUPTI_ERROR_API_NOT_IMPLEMENTED

class LoadedApi final : public CudaApi {
 public:
  bool bind(void* cupti, void* driver) {
    find(cupti, "cuptiSubscribe_v2", subscribe_v2_);  // CUDA 12.6 on
    find(cupti, "cuptiGetGraphNodeId", graph_node_id_);
    find(cupti, "cuptiGetDeviceId", device_of_);
    find(cupti, "cuptiActivityRegisterTimestampCallback", clock_);  // CUDA 11.6 on
    return find(cupti, "cuptiGetVersion", version_) &&
           find(cupti, "cuptiGetResultString", describe_) &&
           find(cupti, "cuptiSubscribe", subscribe_) &&
           find(cupti, "cuptiUnsubscribe", unsubscribe_) &&
           find(cupti, "cuptiEnableCallback", enable_callback_) &&
           find(cupti, "cuptiActivitySetAttribute", set_attribute_) &&
           find(cupti, "cuptiActivityRegisterCallbacks", buffers_) &&
           find(cupti, "cuptiActivityEnable", enable_) &&
           find(cupti, "cuptiActivityDisable", disable_) &&
           find(cupti, "cuptiActivityFlushAll", flush_) &&
           find(cupti, "cuptiActivityGetNextRecord", next_record_) &&
           find(cupti, "cuptiActivityGetNumDroppedRecords", dropped_) &&
           find(cupti, "cuptiFinalize", finalize_) &&
           find(driver, "cuDeviceGetCount", device_count_) &&
           find(driver, "cuDeviceGetName", device_name_) &&
           find(driver, "cuDeviceTotalMem_v2", device_memory_) &&
           find(driver, "cuDeviceGetAttribute", device_attribute_);
  }

  std::uint32_t version() override {
    std::uint32_t number = 0;
    version_(&number);
    return number;
  }
  const char* describe(ApiResult result) override {
    const char* text = nullptr;
    return describe_(result, &text) == kSuccess && text ? text : "unknown error";
  }
  ApiResult subscribe(CallbackFunction callback, void* user, std::string& other) override {
    if (!subscribe_v2_) return subscribe_(&subscriber_, callback, user);
    char name[256] = "";
    SubscriberParams params{sizeof params, "laptime", name, sizeof name};
    const ApiResult result = subscribe_v2_(&subscriber_, callback, user, &params);
    name[sizeof name - 1] = 0;
    if (result != kSuccess) other = name;
    return result;
  }
  ApiResult unsubscribe() override { return unsubscribe_(subscriber_); }
  ApiResult enable_callback(bool on, std::uint32_t domain, std::uint32_t id) override {
    return enable_callback_(on ? 1 : 0, subscriber_, domain, id);
  }
  ApiResult promise_zeroed_buffers() override {
    std::uint8_t one = 1;
    std::size_t size = sizeof one;
    return set_attribute_(kZeroedOutBuffers, &size, &one);
  }
  ApiResult register_clock(ClockFunction clock) override {
    return clock_ ? clock_(clock) : kMissing;
  }
  ApiResult register_buffers(BufferRequest request, BufferComplete complete) override {
    return buffers_(request, complete);
  }
  ApiResult enable(ActivityKind kind) override { return enable_(kind); }
  ApiResult disable(ActivityKind kind) override { return disable_(kind); }
  ApiResult flush(bool forced) override { return flush_(forced ? kFlushForced : 0); }
  ApiResult next_record(std::uint8_t* buffer, std::size_t valid, Activity** record) override {
    return next_record_(buffer, valid, record);
  }
  ApiResult dropped_records(void* context, std::uint32_t stream, std::size_t* dropped) override {
    return dropped_(context, stream, dropped);
  }
  ApiResult device_of(void* context, std::uint32_t* device) override {
    return device_of_ ? device_of_(context, device) : kMissing;
  }
  ApiResult graph_node_id(void* node, std::uint64_t* id) override {
    return graph_node_id_ ? graph_node_id_(node, id) : kMissing;
  }
  ApiResult finalize() override { return finalize_(); }

  ApiResult device_count(int* count) override { return device_count_(count); }
  ApiResult device_name(int device, std::string& name) override {
    char text[256] = "";
    const ApiResult result = device_name_(text, sizeof text - 1, device);
    name = text;
    return result;
  }
  ApiResult device_memory(int device, std::uint64_t* bytes) override {
    std::size_t size = 0;
    const ApiResult result = device_memory_(&size, device);
    *bytes = size;
    return result;
  }
  ApiResult device_attribute(int device, DeviceAttribute attribute, int* value) override {
    return device_attribute_(value, attribute, device);
  }

 private:
  void* subscriber_ = nullptr;
  ApiResult (*version_)(std::uint32_t*) = nullptr;
  ApiResult (*describe_)(ApiResult, const char**) = nullptr;
  ApiResult (*subscribe_)(void**, CallbackFunction, void*) = nullptr;
  ApiResult (*subscribe_v2_)(void**, CallbackFunction, void*, SubscriberParams*) = nullptr;
  ApiResult (*unsubscribe_)(void*) = nullptr;
  ApiResult (*enable_callback_)(std::uint32_t, void*, std::uint32_t, std::uint32_t) = nullptr;
  ApiResult (*set_attribute_)(std::uint32_t, std::size_t*, void*) = nullptr;
  ApiResult (*clock_)(ClockFunction) = nullptr;
  ApiResult (*buffers_)(BufferRequest, BufferComplete) = nullptr;
  ApiResult (*enable_)(std::uint32_t) = nullptr;
  ApiResult (*disable_)(std::uint32_t) = nullptr;
  ApiResult (*flush_)(std::uint32_t) = nullptr;
  ApiResult (*next_record_)(std::uint8_t*, std::size_t, Activity**) = nullptr;
  ApiResult (*dropped_)(void*, std::uint32_t, std::size_t*) = nullptr;
  ApiResult (*device_of_)(void*, std::uint32_t*) = nullptr;
  ApiResult (*graph_node_id_)(void*, std::uint64_t*) = nullptr;
  ApiResult (*finalize_)() = nullptr;
  ApiResult (*device_count_)(int*) = nullptr;
  ApiResult (*device_name_)(char*, int, int) = nullptr;
  ApiResult (*device_memory_)(std::size_t*, int) = nullptr;
  ApiResult (*device_attribute_)(int*, int, int) = nullptr;
};

}  // namespace

// Once loaded, it stays. Queried often, also while another thread holds the loader's lock.
bool cuda_is_loaded() {
  static std::atomic<bool> loaded{false};
  if (!loaded.load(std::memory_order_acquire))
    loaded.store(::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD) != nullptr,
                 std::memory_order_release);
  return loaded.load(std::memory_order_acquire);
}

CudaApi* load_cuda_api(std::string& problem) {
  static LoadedApi* api = nullptr;
  if (api) return api;
  void* const driver = ::dlopen("libcuda.so.1", RTLD_LAZY);
  if (!driver) return problem = "there is no CUDA driver", nullptr;
  void* const cupti = find_cupti();
  if (!cupti)
    return problem =
               "libcupti.so.13 or libcupti.so.12 was not found; it comes with the CUDA toolkit and "
               "with PyTorch's CUDA packages",
           nullptr;
  auto* const loaded = new LoadedApi;
  if (!loaded->bind(cupti, driver))
    return problem = "this CUPTI lacks functions that laptime needs (CUDA 12 or later is required)",
           nullptr;
  return api = loaded;
}

}  // namespace laptime::cuda
