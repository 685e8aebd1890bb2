// Kernels that multiply matrices or convolve, by what they multiply with.
#pragma once

#include "advise/gpu_steps.h"

namespace laptime {

struct Products {
  double ns = 0;                         // of a step's kernels
  const StepWork* largest = nullptr;  // null: there are none
};
// `counts`: which of them do.
Products products_of(const GpuSteps& gpu, std::initializer_list<Precision> precisions, bool (*counts)(const StepWork&) = nullptr);

}  // namespace laptime
