// What the devices are, written as properties of the process: "cuda device 0 name", "…
// multiprocessors", "… memory_bytes", "… clock_hz", "… compute" (9.0), "… peak_bytes_per_s", "…
// peak_flops_fp64" and "_fp32", "_fp64_tensor", "_tf32", "_fp16" and "_fp8" for dense products on
// tensor cores, where the architecture is known, and the limits that occupancy follows from.
#pragma once

#include "collect/cuda/cuda_api.h"

namespace laptime::cuda {

// False when the driver does not know its devices yet.
bool write_device_facts(CudaApi& api);

}  // namespace laptime::cuda
