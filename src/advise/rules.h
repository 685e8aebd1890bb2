// The rules there are. Each has its own file in rules/.
#pragma once

#include <span>
#include <string_view>

#include "advise/rule.h"

namespace laptime {

extern const Rule kNoWorkers, kFewWorkers, kWorkerStart, kPrefetch, kWorkerImbalance, kDatasetLine,
    kSlowCollate, kInMemoryDataset, kReload, kPythonLine;  // input, Python
extern const Rule kLogging, kCheckpoint, kValidation, kGcPauses, kSingleTensorOptimizer, kZeroGrad,
    kTooManyThreads, kCpuBfloat16, kRecompile;        // the host
extern const Rule kExposedCommunication, kStraggler;  // several processes
extern const Rule kHiddenSync, kLaunchBound, kSmallBatch, kPageableCopy,
    kTinyCopies;  // GPU and host
extern const Rule kTf32, kMixedPrecision, kOddDims, kConvBias, kChannelsLast,
    kCudnnBenchmark;                                              // the GPU
extern const Rule kMemoryPressure, kMemoryGrowth, kProfilerBias;  // risks

std::span<const Rule* const> all_rules();
// An error names the rules that exist.
Result<const Rule*> find_rule(std::string_view name);

// The rule's page, as docs/rules/NAME.md has it.
std::string rule_page(const Rule& rule);

}  // namespace laptime
