// Collects what a shim reports, for the self-test: torch's own answers must agree with what the
// shim read.
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
  std::int64_t sequence, expected_sequence;  // as read, and torch's own answer at that moment
  std::uint64_t thread, expected_thread;
  bool ended;
};

// Contract: one probe at a time. Ops of threads other than the caller's are ignored.
void start_probe(const OpShim& shim);
std::vector<ProbedOp> stop_probe();

}  // namespace laptime::torch
