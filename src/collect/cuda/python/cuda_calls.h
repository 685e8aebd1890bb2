// liblaptime_cuda.so for the Python package's module. The module does not link the library: only a
// program that uses a GPU loads it.
#pragma once

#include <string>

#include "collect/cuda/cuda_interface.h"

namespace laptime::cuda {

// All functions of the interface. Contract: a loaded library stays loaded, because CUPTI and the
// driver may call it until the process ends.
struct CudaCalls {
  // Throws std::runtime_error, for Python.
  explicit CudaCalls(const std::string& path);

  decltype(&laptime_cuda_on) on;
  decltype(&laptime_cuda_off) off;
  decltype(&laptime_cuda_set_disabled) set_disabled;
  decltype(&laptime_cuda_state) state;
  decltype(&laptime_cuda_counts) counts;
  decltype(&laptime_cuda_flush) flush;
  decltype(&laptime_cuda_set_call_sites) set_call_sites;
  decltype(&laptime_cuda_set_op_call_sites) set_op_call_sites;
  decltype(&laptime_cuda_set_nodes) set_nodes;
  decltype(&laptime_cuda_name_kernel) name_kernel;
  decltype(&laptime_cuda_name_instruction) name_instruction;
  decltype(&laptime_cuda_bind_torch) bind_torch;
  decltype(&laptime_cuda_current_node) current_node;
  decltype(&laptime_cuda_next_node) next_node;
  decltype(&laptime_cuda_defer) defer;
};

}  // namespace laptime::cuda
