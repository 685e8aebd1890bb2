// The C interface of liblaptime_cuda.so. The library defines it and the Python package's module
// calls it, so both are compiled against these declarations.
#pragma once

#include <cstdint>

#include "collect/cuda/cuda_states.h"
#include "collect/cuda/launch_context.h"
#include "laptime/laptime.h"

extern "C" {

// `who`: any of cuda::Request. Idle: the program has not loaded CUDA yet, call again later.
LAPTIME_API laptime::cuda::State laptime_cuda_on(unsigned who);
// Makes no collector where there is none: also called in a forked child, which must load nothing.
LAPTIME_API void laptime_cuda_off(unsigned who, laptime::cuda::After after);
// Not 0: whoever requests to record the GPU does not, until this is said again with 0.
LAPTIME_API void laptime_cuda_stay_away(int away);
LAPTIME_API laptime::cuda::State laptime_cuda_state(void);
// Launches and GPU records so far.
LAPTIME_API void laptime_cuda_counts(std::uint64_t* launches, std::uint64_t* records);
LAPTIME_API void laptime_cuda_flush(void);
// Also before the program has loaded CUDA.
LAPTIME_API void laptime_cuda_set_call_sites(laptime::cuda::CallSiteFunction function);
LAPTIME_API void laptime_cuda_set_op_call_sites(laptime::cuda::OpCallSiteFunction function);
// Not 0: launches carry autograd's node. Contract: laptime_cuda_bind_torch succeeded.
LAPTIME_API void laptime_cuda_set_nodes(int on);
LAPTIME_API void laptime_cuda_name_kernel(const char* kernel, std::uint32_t call_site);
LAPTIME_API void laptime_cuda_name_instruction(const char* module, const char* instruction,
                                               std::uint32_t call_site);
LAPTIME_API int laptime_cuda_bind_torch(void);
// For the caller's proof: the calling thread's running node; 0: none runs.
LAPTIME_API int laptime_cuda_current_node(std::int64_t* sequence, std::uint64_t* thread);
LAPTIME_API void laptime_cuda_next_node(std::int64_t* sequence, std::uint64_t* thread);
// Somebody in this process will say when to record: loading by the driver is no longer a reason to.
LAPTIME_API void laptime_cuda_defer(void);

}  // extern "C"
