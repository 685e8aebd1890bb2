// An op's inputs in the form that the recording keeps.
#pragma once

#include <cstdint>

#include "collect/torch/flops.h"
#include "collect/torch/op_inputs.h"

namespace laptime::torch {

// Stores shapes, types and FLOPs as arguments that ops share (record::add_args). Returns 0, and
// counts a warning, if there are too many.
std::uint16_t add_inputs(const OpInputs& inputs, FlopRule rule);
void warn_too_many_inputs();

}  // namespace laptime::torch
