// The facts in an op's name.
#pragma once

#include <string_view>

#include "collect/torch/op_thread.h"

namespace laptime::torch {

// `id`: record::intern of the text.
OpFacts describe_name(std::string_view text, std::uint32_t id);

}  // namespace laptime::torch
