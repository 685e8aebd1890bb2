// The floating point operations of an op, computed from its inputs. The formulas are those of
// torch.profiler's with_flops, so the numbers are equal. For ops that with_flops ignores (other
// convolutions, backward passes, fused attention, fp8) they are those of torch.utils.flop_counter.
#pragma once

#include <cstdint>
#include <string_view>

#include "collect/torch/op_inputs.h"

namespace laptime::torch {

FlopRule flop_rule(std::string_view op_name);

// 0: unknown.
std::uint64_t flops(FlopRule rule, const OpInputs& inputs);

}  // namespace laptime::torch
