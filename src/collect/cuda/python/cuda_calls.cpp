#include "collect/cuda/python/cuda_calls.h"

#include <dlfcn.h>
#include <stdexcept>

namespace laptime::cuda {

namespace {

void* load(const std::string& path) {
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) throw std::runtime_error(::dlerror());
  return library;
}

template <typename Function>
void find(void* library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) throw std::runtime_error(::dlerror());
}

}  // namespace

CudaCalls::CudaCalls(const std::string& path) {
  void* const library = load(path);
  find(library, on, "laptime_cuda_on");
  find(library, off, "laptime_cuda_off");
  find(library, set_disabled, "laptime_cuda_set_disabled");
  find(library, state, "laptime_cuda_state");
  find(library, counts, "laptime_cuda_counts");
  find(library, flush, "laptime_cuda_flush");
  find(library, set_call_sites, "laptime_cuda_set_call_sites");
  find(library, set_op_call_sites, "laptime_cuda_set_op_call_sites");
  find(library, set_nodes, "laptime_cuda_set_nodes");
  find(library, name_kernel, "laptime_cuda_name_kernel");
  find(library, name_instruction, "laptime_cuda_name_instruction");
  find(library, bind_torch, "laptime_cuda_bind_torch");
  find(library, current_node, "laptime_cuda_current_node");
  find(library, next_node, "laptime_cuda_next_node");
  find(library, defer, "laptime_cuda_defer");
}

}  // namespace laptime::cuda
