// Writes down what a shim tells, for the self-test: what torch says must agree with what the shim
// read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collect/torch/shim_abi.h"

namespace laptime::torch {

struct ProbedOp {
  std::string name;
  std::uint32_t scope;
  std::uint32_t depth;
  std::int64_t sequence, expected_sequence;  // as read, and as torch said at that moment
  std::uint64_t thread, expected_thread;
  bool ended;
};

// Contract: one probe at a time. Ops of other threads than the one that starts it are not looked
// at.
void start_probe(const OpShim& shim);
std::vector<ProbedOp> stop_probe();

}  // namespace laptime::torch
