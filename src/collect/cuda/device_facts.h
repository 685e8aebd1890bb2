// The devices' facts, as properties of the process: "cuda device 0 name", "… multiprocessors", "…
// memory_bytes", "… clock_hz", "… compute" (9.0), "… peak_bytes_per_s". The limits that determine
// occupancy are facts, too. If the architecture is known, also "… peak_flops_fp64", "_fp32", and
// for dense products on tensor cores "_fp64_tensor", "_tf32", "_fp16", "_fp8".
#pragma once

#include "collect/cuda/cuda_api.h"

namespace laptime::cuda {

// False if the driver does not know its devices yet.
bool write_device_facts(CudaApi& api);

}  // namespace laptime::cuda
