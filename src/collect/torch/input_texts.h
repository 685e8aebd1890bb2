// An op's inputs as the recording keeps them.
#pragma once

#include <cstdint>

#include "collect/torch/flops.h"
#include "collect/torch/op_inputs.h"

namespace laptime::torch {

// Shapes, types and FLOPs as arguments that ops share (record::add_args); 0, and a warning, when
// there are too many.
std::uint16_t tell_inputs(const OpInputs& inputs, FlopRule rule);
void warn_too_many_inputs();

}  // namespace laptime::torch
