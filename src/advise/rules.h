// The list of rules.
#pragma once

#include <span>
#include <string_view>

#include "advise/rule.h"

namespace laptime {

// All rules, in the order in which the engine runs them. A new rule is a file in rules/ that
// defines its constant, and a line here.
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
  RULE(kSequentialMap) \
  RULE(kTfdataPrefetch) \
  RULE(kTfdataCache) \
  RULE(kPyFunction) \
  RULE(kBatchAfterMap) \
  RULE(kPythonLine) \
  RULE(kLogging) \
  RULE(kCheckpoint) \
  RULE(kValidation) \
  RULE(kStraggler) \
  RULE(kExposedCommunication) \
  RULE(kHiddenSync) \
  RULE(kLaunchBound) \
  RULE(kSmallBatch) \
  RULE(kEagerLoop) \
  RULE(kRecompile) \
  RULE(kRetracing) \
  RULE(kJaxRecompile) \
  RULE(kJaxSync) \
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
// An error lists the rules that exist.
Result<const Rule*> find_rule(std::string_view name);

// The text of docs/rules/NAME.md.
std::string rule_page(const Rule& rule);

}  // namespace laptime
