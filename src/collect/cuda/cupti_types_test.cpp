// Compares our declarations with NVIDIA's own headers, if these are installed. Checked at compile
// time.
#include "collect/cuda/cupti_types.h"

#include <gtest/gtest.h>

#include "collect/cuda/driver_calls.h"

#if __has_include(<cupti.h>)
#include <cupti.h>

namespace laptime::cuda {

#define SAME_FIELD(ours, our_field, theirs, their_field)                     \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field)); \
  static_assert(sizeof(ours::our_field) == sizeof(theirs::their_field))

#define CHECK_KERNEL(theirs)                                                  \
  SAME_FIELD(ActivityKernel, kind, theirs, kind);                             \
  SAME_FIELD(ActivityKernel, registers, theirs, registersPerThread);          \
  SAME_FIELD(ActivityKernel, start, theirs, start);                           \
  SAME_FIELD(ActivityKernel, end, theirs, end);                               \
  SAME_FIELD(ActivityKernel, device, theirs, deviceId);                       \
  SAME_FIELD(ActivityKernel, context, theirs, contextId);                     \
  SAME_FIELD(ActivityKernel, stream, theirs, streamId);                       \
  static_assert(offsetof(ActivityKernel, grid) == offsetof(theirs, gridX) &&  \
                offsetof(ActivityKernel, block) == offsetof(theirs, blockX)); \
  SAME_FIELD(ActivityKernel, static_shared, theirs, staticSharedMemory);      \
  SAME_FIELD(ActivityKernel, dynamic_shared, theirs, dynamicSharedMemory);    \
  SAME_FIELD(ActivityKernel, correlation, theirs, correlationId);             \
  SAME_FIELD(ActivityKernel, name, theirs, name);                             \
  SAME_FIELD(ActivityKernel, graph_node, theirs, graphNodeId);                \
  SAME_FIELD(ActivityKernel, graph, theirs, graphId);                         \
  static_assert(sizeof(ActivityKernel) <= sizeof(theirs))
CHECK_KERNEL(CUpti_ActivityKernel7);
CHECK_KERNEL(CUpti_ActivityKernel8);
CHECK_KERNEL(CUpti_ActivityKernel9);  // CUDA 12
#if CUPTI_API_VERSION >= 130000
CHECK_KERNEL(CUpti_ActivityKernel10);  // CUDA 13
#endif

#define CHECK_COPY(ours, theirs)                        \
  SAME_FIELD(ours, copy_kind, theirs, copyKind);        \
  SAME_FIELD(ours, source_kind, theirs, srcKind);       \
  SAME_FIELD(ours, target_kind, theirs, dstKind);       \
  SAME_FIELD(ours, flags, theirs, flags);               \
  SAME_FIELD(ours, bytes, theirs, bytes);               \
  SAME_FIELD(ours, start, theirs, start);               \
  SAME_FIELD(ours, end, theirs, end);                   \
  SAME_FIELD(ours, device, theirs, deviceId);           \
  SAME_FIELD(ours, stream, theirs, streamId);           \
  SAME_FIELD(ours, correlation, theirs, correlationId); \
  SAME_FIELD(ours, graph_node, theirs, graphNodeId);    \
  static_assert(sizeof(ours) <= sizeof(theirs))
CHECK_COPY(ActivityMemcpy, CUpti_ActivityMemcpy4);
CHECK_COPY(ActivityPeerCopy, CUpti_ActivityMemcpyPtoP3);
#if CUPTI_API_VERSION >= 130000
CHECK_COPY(ActivityMemcpy, CUpti_ActivityMemcpy6);
CHECK_COPY(ActivityPeerCopy, CUpti_ActivityMemcpyPtoP4);
#endif

#define CHECK_FILL(theirs)                                        \
  SAME_FIELD(ActivityMemset, bytes, theirs, bytes);               \
  SAME_FIELD(ActivityMemset, start, theirs, start);               \
  SAME_FIELD(ActivityMemset, end, theirs, end);                   \
  SAME_FIELD(ActivityMemset, device, theirs, deviceId);           \
  SAME_FIELD(ActivityMemset, stream, theirs, streamId);           \
  SAME_FIELD(ActivityMemset, correlation, theirs, correlationId); \
  SAME_FIELD(ActivityMemset, memory_kind, theirs, memoryKind);    \
  SAME_FIELD(ActivityMemset, graph_node, theirs, graphNodeId);    \
  static_assert(sizeof(ActivityMemset) <= sizeof(theirs))
CHECK_FILL(CUpti_ActivityMemset3);
CHECK_FILL(CUpti_ActivityMemset4);

SAME_FIELD(CallbackData, site, CUpti_CallbackData, callbackSite);
SAME_FIELD(CallbackData, correlation_data, CUpti_CallbackData, correlationData);
SAME_FIELD(CallbackData, correlation, CUpti_CallbackData, correlationId);
SAME_FIELD(ResourceData, descriptor, CUpti_ResourceData, resourceDescriptor);
SAME_FIELD(GraphData, node, CUpti_GraphData, node);
SAME_FIELD(GraphData, original_node, CUpti_GraphData, originalNode);
SAME_FIELD(SubscriberParams, other_size, CUpti_SubscriberParams, oldSubscriberSize);
static_assert(sizeof(SubscriberParams) == sizeof(CUpti_SubscriberParams));

static_assert(int{kMemcpy} == CUPTI_ACTIVITY_KIND_MEMCPY &&
              int{kPeerCopy} == CUPTI_ACTIVITY_KIND_MEMCPY2 &&
              int{kMemset} == CUPTI_ACTIVITY_KIND_MEMSET);
static_assert(int{kConcurrentKernel} == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
static_assert(int{kDriverDomain} == CUPTI_CB_DOMAIN_DRIVER_API &&
              int{kResourceDomain} == CUPTI_CB_DOMAIN_RESOURCE);
static_assert(int{kGraphNodeCreated} == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED &&
              int{kGraphNodeCloned} == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
static_assert(int{kEnter} == CUPTI_API_ENTER && int{kExit} == CUPTI_API_EXIT);
static_assert(int{kZeroedOutBuffers} == CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER &&
              kMemcpyAsync == CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC);
static_assert(kMultipleSubscribers == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED &&
              kInsufficientPrivileges == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
static_assert(kNotInitialized == CUPTI_ERROR_NOT_INITIALIZED);

#define SAME_NUMBER(name, number) static_assert(CUPTI_DRIVER_TRACE_CBID_##name == number);
#if CUPTI_API_VERSION >= 130000
LAPTIME_CUDA_COPY_CALLS(SAME_NUMBER)
LAPTIME_CUDA_WAIT_CALLS(SAME_NUMBER)
#endif
LAPTIME_CUDA_LAUNCH_CALLS(SAME_NUMBER)
LAPTIME_CUDA_FILL_CALLS(SAME_NUMBER)
LAPTIME_CUDA_ALLOCATE_CALLS(SAME_NUMBER)
LAPTIME_CUDA_ALLOCATE_ROWS_CALLS(SAME_NUMBER)
LAPTIME_CUDA_RELEASE_CALLS(SAME_NUMBER)

static_assert(int{kMaxRegistersPerMultiprocessor} ==
              CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
static_assert(int{kMaxSharedPerMultiprocessor} ==
              CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
static_assert(int{kMaxBlocksPerMultiprocessor} ==
              CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
static_assert(int{kMaxThreadsPerMultiprocessor} ==
              CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
static_assert(int{kMultiprocessors} == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT &&
              int{kClockKHz} == CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
static_assert(int{kMemoryClockKHz} == CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE &&
              int{kMemoryBusWidth} == CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
static_assert(int{kComputeMajor} == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR &&
              int{kComputeMinor} == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(int{kL2Bytes} == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);

TEST(CuptiTypes, AreThoseOfTheInstalledHeaders) { EXPECT_GE(CUPTI_API_VERSION, 18); }

}  // namespace laptime::cuda
#else
TEST(CuptiTypes, AreThoseOfTheInstalledHeaders) {
  GTEST_SKIP() << "CUPTI's headers are not installed";
}
#endif
