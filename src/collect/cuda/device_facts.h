// Writes what the devices are as device properties: the name, memory, clock, compute capability,
// peaks of memory and of dense products, and the limits that occupancy follows from. Peaks of
// products are written where the architecture is known. format/names.h has the keys.
#pragma once

#include "collect/cuda/cuda_api.h"

namespace laptime::cuda {

// False when the driver does not know its devices yet.
bool write_device_facts(CudaApi& api);

}  // namespace laptime::cuda
