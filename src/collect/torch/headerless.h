// Torch's callbacks without torch's headers, for machines that have no compiler: a few functions
// found by name in the torch that is loaded, and the places of the fields in its objects found by
// watching known ops.
//
// Assumption: the layout of at::RecordFunctionCallback, which callers hand over, is that of the
// torch versions that the Python side lets through; nothing is assumed about at::RecordFunction but
// that its first 512 bytes are readable. Contract: what calibration does not find for certain is an
// error, in words; the self-test comes on top.
#pragma once

#include <string>

#include "collect/torch/shim_abi.h"

namespace laptime::torch {

// "" or why torch's functions were not found.
std::string find_torch();

// Between the two the caller runs aten::mul several times, each making an autograd node, on two
// threads. "" or why not all fields were found.
std::string start_calibration();
std::string stop_calibration();

const OpShim* open_headerless(const OpHost* host);

}  // namespace laptime::torch
