// How many floating point operations an op does, from its inputs: the formulas of torch.profiler's
// with_flops, so that the numbers are the same, and for what that counts none of (other
// convolutions, backward passes, fused attention, fp8) those of torch.utils.flop_counter.
#pragma once

#include <cstdint>
#include <string_view>

#include "collect/torch/op_inputs.h"

namespace laptime::torch {

FlopRule flop_rule(std::string_view op_name);

// 0: unknown.
std::uint64_t flops(FlopRule rule, const OpInputs& inputs);

}  // namespace laptime::torch
