// CUPTI's types without NVIDIA's headers: numbers, and the oldest form of each record that has the
// needed fields. Assumption: records only grow at their end (CUPTI's promise), so one binary reads
// those of CUDA 12 and 13. cupti_types_test.cpp compares all of this with the real headers where
// they are installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace laptime::cuda {

using ApiResult = int;  // CUptiResult, CUresult: 0 is success
inline constexpr ApiResult kSuccess = 0;
inline constexpr ApiResult kNotInitialized = 15;
inline constexpr ApiResult kInsufficientPrivileges = 35;
inline constexpr ApiResult kMultipleSubscribers = 39;

enum ActivityKind : std::uint32_t {
  kMemcpy = 1,
  kMemset = 2,
  kConcurrentKernel = 10,  // never 3, KERNEL: it serialises
  kPeerCopy = 22,          // between two GPUs, in place of a record of kMemcpy
};

#pragma pack(push, 8)

struct Activity {
  std::uint32_t kind;
};

struct ActivityKernel {  // CUpti_ActivityKernel7 (CUDA 11.4) on
  std::uint32_t kind;
  std::uint8_t cache_config, shared_memory_config;
  std::uint16_t registers;
  std::uint32_t cache_requested, cache_executed;
  std::uint64_t start, end, completed;
  std::uint32_t device, context, stream;
  std::int32_t grid[3], block[3];
  std::int32_t static_shared, dynamic_shared;
  std::uint32_t local_per_thread, local_total;
  std::uint32_t correlation;
  std::int64_t grid_id;
  const char* name;
  void* reserved;
  std::uint64_t queued, submitted;
  std::uint8_t launch_type, carveout_requested, carveout, padding;
  std::uint32_t shared_executed;
  std::uint64_t graph_node;
  std::uint32_t shared_limit_config;
  std::uint32_t graph;
};

struct ActivityMemcpy {  // CUpti_ActivityMemcpy4 (CUDA 11.1) on
  std::uint32_t kind;
  std::uint8_t copy_kind, source_kind, target_kind, flags;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream;
  std::uint32_t correlation, runtime_correlation, pad;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph;
};

struct ActivityPeerCopy {  // CUpti_ActivityMemcpyPtoP3 (CUDA 11.1) on
  std::uint32_t kind;
  std::uint8_t copy_kind, source_kind, target_kind, flags;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream;
  std::uint32_t source_device, source_context, target_device, target_context;
  std::uint32_t correlation;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph;
};

struct ActivityMemset {  // CUpti_ActivityMemset3 (CUDA 11.1) on
  std::uint32_t kind;
  std::uint32_t value;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream;
  std::uint32_t correlation;
  std::uint16_t flags, memory_kind;
  std::uint32_t pad;
  void* reserved;
  std::uint64_t graph_node;
  std::uint32_t graph;
};

#pragma pack(pop)

inline constexpr std::uint8_t kMemcpyAsync = 1;  // ActivityMemcpy::flags

enum CallbackDomain : std::uint32_t { kDriverDomain = 1, kResourceDomain = 3 };
enum ResourceCallback : std::uint32_t { kGraphNodeCreated = 13, kGraphNodeCloned = 20 };
enum CallbackSite : std::uint32_t { kEnter = 0, kExit = 1 };

struct CallbackData {
  CallbackSite site;
  const char* function;
  const void* parameters;
  void* return_value;
  const char* symbol;
  void* context;
  std::uint32_t context_uid;
  std::uint64_t* correlation_data;  // this call's own, from enter to exit
  std::uint32_t correlation;
};
struct ResourceData {
  void* context;
  void* stream_or_unused;
  void* descriptor;  // graph callbacks: GraphData
};
struct GraphData {
  void* graph;
  void* original_graph;
  void* node;
  void* original_node;
};

struct SubscriberParams {  // cuptiSubscribe_v2, CUDA 12.6 on
  std::size_t struct_size;
  const char* name;
  char* other_name;
  std::size_t other_size;
};

enum Attribute : std::uint32_t { kZeroedOutBuffers = 5 };

using CallbackFunction = void (*)(void* user, std::uint32_t domain, std::uint32_t id,
                                  const void* data);
using BufferRequest = void (*)(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records);
using BufferComplete = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                std::size_t size, std::size_t valid);
using ClockFunction = std::uint64_t (*)();

// Facts of the driver about a device: CUdevice_attribute.
enum DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxSharedPerBlock = 8,
  kClockKHz = 13,
  kMultiprocessors = 16,
  kMemoryClockKHz = 36,
  kMemoryBusWidth = 37,
  kL2Bytes = 38,
  kMaxThreadsPerMultiprocessor = 39,
  kComputeMajor = 75,
  kComputeMinor = 76,
  kMaxSharedPerMultiprocessor = 81,
  kMaxRegistersPerMultiprocessor = 82,
  kMaxBlocksPerMultiprocessor = 106,
};

}  // namespace laptime::cuda
