// Python's interface to the GPU's collector: laptime._native.gpu.
#pragma once

#include <nanobind/nanobind.h>

namespace laptime::cuda {

void bind_gpu(nanobind::module_& module);

}  // namespace laptime::cuda
