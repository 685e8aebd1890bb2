// Torch's callbacks without torch's headers, for machines without a compiler. A few functions are
// found by name in the loaded torch. The offsets of fields in its objects are found by watching
// known ops.
//
// Assumption: callers fill in at::RecordFunctionCallback, and its layout is that of the torch
// versions that the Python side accepts. Of at::RecordFunction only one thing is assumed: its first
// 512 bytes are readable. Contract: what calibration does not find with certainty is an error,
// returned as text. The self-test runs in addition.
#pragma once

#include <string>

#include "collect/torch/shim_abi.h"

namespace laptime::torch {

// Empty, or the reason why torch's functions were not found.
std::string find_torch();

// Between these two calls, the caller runs aten::mul several times on two threads. Each run makes
// an autograd node. Empty, or the reason why a field was not found.
std::string start_calibration();
std::string stop_calibration();

const OpShim* open_headerless(const OpHost* host);

}  // namespace laptime::torch
