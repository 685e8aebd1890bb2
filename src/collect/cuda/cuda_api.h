// An interface to CUPTI and the CUDA driver, so that tests can replace them. No library of NVIDIA
// is linked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "collect/cuda/cupti_types.h"

namespace laptime::cuda {

class CudaApi {
 public:
  virtual ~CudaApi() = default;

  virtual std::uint32_t version() = 0;  // 12.9: 27, 13.0: 130001
  virtual const char* describe(ApiResult result) = 0;

  // `other` gets the name of the tool that holds the only subscription, if CUPTI reports it.
  virtual ApiResult subscribe(CallbackFunction callback, void* user, std::string& other) = 0;
  virtual ApiResult unsubscribe() = 0;
  virtual ApiResult enable_callback(bool on, std::uint32_t domain, std::uint32_t id) = 0;

  virtual ApiResult promise_zeroed_buffers() = 0;
  virtual ApiResult register_clock(ClockFunction clock) = 0;
  virtual ApiResult register_buffers(BufferRequest request, BufferComplete complete) = 0;
  virtual ApiResult enable(ActivityKind kind) = 0;
  virtual ApiResult disable(ActivityKind kind) = 0;
  // Delivers the buffers whose records are all complete. `forced`: delivers all. Records that are
  // incomplete then stay incomplete and have no times.
  virtual ApiResult flush(bool forced) = 0;
  virtual ApiResult next_record(std::uint8_t* buffer, std::size_t valid, Activity** record) = 0;
  virtual ApiResult dropped_records(void* context, std::uint32_t stream, std::size_t* dropped) = 0;
  virtual ApiResult device_of(void* context, std::uint32_t* device) = 0;
  virtual ApiResult graph_node_id(void* node, std::uint64_t* id) = 0;
  // Takes CUPTI out of the process. Subscribing sets it up again.
  virtual ApiResult finalize() = 0;

  virtual ApiResult device_count(int* count) = 0;
  virtual ApiResult device_name(int device, std::string& name) = 0;
  virtual ApiResult device_memory(int device, std::uint64_t* bytes) = 0;
  virtual ApiResult device_attribute(int device, DeviceAttribute attribute, int* value) = 0;
};

// The program's own copy of CUPTI if it has one, else one from the loader or a CUDA toolkit. Null
// if there is none; `problem` gets the reason. The object is made once and never destroyed: CUPTI
// calls back until the process ends.
CudaApi* load_cuda_api(std::string& problem);
// Whether the process has loaded the CUDA driver.
bool cuda_is_loaded();

}  // namespace laptime::cuda
