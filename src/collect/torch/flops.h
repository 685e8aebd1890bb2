// How many floating point operations an op does, from its inputs: the formulas of torch.profiler's with_flops, so that the
// numbers are the same, and one of our own for fused attention, for which torch gives none.
#pragma once

#include <cstdint>
#include <string_view>

#include "collect/torch/op_inputs.h"

namespace laptime::torch {

FlopRule flop_rule(std::string_view op_name);

// 0: unknown.
std::uint64_t flops(FlopRule rule, const OpInputs& inputs);

}  // namespace laptime::torch
