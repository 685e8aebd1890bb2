// The rules that exist.
#pragma once

#include <span>
#include <string_view>

#include "advise/rule.h"

namespace laptime {

// The one list of rules, in the order in which the engine asks them. A new rule is its file in
// rules/, which defines the constant, and its line here.
// clang-format off
#define LAPTIME_RULES(RULE) \
  RULE(kReload) \
  RULE(kInMemoryDataset) \
  RULE(kNoWorkers) \
  RULE(kFewWorkers) \
  RULE(kWorkerStart) \
  RULE(kPrefetch) \
  RULE(kWorkerImbalance) \
  RULE(kDatasetLine) \
  RULE(kSlowCollate) \
  RULE(kPythonLine) \
  RULE(kLogging) \
  RULE(kCheckpoint) \
  RULE(kValidation) \
  RULE(kStraggler) \
  RULE(kExposedCommunication) \
  RULE(kHiddenSync) \
  RULE(kLaunchBound) \
  RULE(kSmallBatch) \
  RULE(kRecompile) \
  RULE(kPageableCopy) \
  RULE(kTinyCopies) \
  RULE(kTf32) \
  RULE(kMixedPrecision) \
  RULE(kOddDims) \
  RULE(kConvBias) \
  RULE(kChannelsLast) \
  RULE(kCudnnBenchmark) \
  RULE(kSingleTensorOptimizer) \
  RULE(kZeroGrad) \
  RULE(kTooManyThreads) \
  RULE(kCpuBfloat16) \
  RULE(kGcPauses) \
  RULE(kMemoryPressure) \
  RULE(kMemoryGrowth) \
  RULE(kProfilerBias)
// clang-format on

#define LAPTIME_DECLARE_RULE(rule) extern const Rule rule;
LAPTIME_RULES(LAPTIME_DECLARE_RULE)
#undef LAPTIME_DECLARE_RULE

std::span<const Rule* const> all_rules();
// An error names the rules that exist.
Result<const Rule*> find_rule(std::string_view name);

// The rule's page, as docs/rules/NAME.md has it.
std::string rule_page(const Rule& rule);

}  // namespace laptime
