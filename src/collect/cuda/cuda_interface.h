// The C interface of liblaptime_cuda.so. The library defines it and the Python package's module
// calls it, so both are compiled against these declarations.
#pragma once

#include <cstdint>

#include "collect/cuda/cuda_states.h"
#include "collect/cuda/launch_context.h"
#include "laptime/laptime.h"

extern "C" {

// `who`: any of cuda::Request. Returns idle if the program has not loaded CUDA yet: call again
// later.
LAPTIME_API laptime::cuda::State laptime_cuda_on(unsigned who);
// Never makes a collector: a forked child, which must load nothing, calls it too.
LAPTIME_API void laptime_cuda_off(unsigned who, laptime::cuda::After after);
// Not 0: requests to record the GPU are ignored until this is called with 0.
LAPTIME_API void laptime_cuda_set_disabled(int disabled);
LAPTIME_API laptime::cuda::State laptime_cuda_state(void);
// Launches and GPU records so far.
LAPTIME_API void laptime_cuda_counts(std::uint64_t* launches, std::uint64_t* records);
LAPTIME_API void laptime_cuda_flush(void);
// May be called before the program has loaded CUDA.
LAPTIME_API void laptime_cuda_set_call_sites(laptime::cuda::CallSiteFunction function);
LAPTIME_API void laptime_cuda_set_op_call_sites(laptime::cuda::OpCallSiteFunction function);
// Not 0: launches carry autograd's node. Contract: laptime_cuda_bind_torch succeeded.
LAPTIME_API void laptime_cuda_set_nodes(int on);
LAPTIME_API void laptime_cuda_name_kernel(const char* kernel, std::uint32_t call_site);
LAPTIME_API void laptime_cuda_name_instruction(const char* module, const char* instruction,
                                               std::uint32_t call_site);
LAPTIME_API int laptime_cuda_bind_torch(void);
// Lets the caller verify TorchContext: the calling thread's running node. Returns 0 if none runs.
LAPTIME_API int laptime_cuda_current_node(std::int64_t* sequence, std::uint64_t* thread);
LAPTIME_API void laptime_cuda_next_node(std::int64_t* sequence, std::uint64_t* thread);
// A caller in this process controls recording: loading by the driver no longer starts it.
LAPTIME_API void laptime_cuda_defer(void);

}  // extern "C"
