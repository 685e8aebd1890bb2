#include <fmt/format.h>

#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"

namespace laptime {

namespace {

std::vector<Finding> find_memory_pressure(const Evidence& evidence) {
  const Settings& settings = evidence.settings();
  if (settings.cuda_retries.value_or(0) == 0 || !settings.cuda_reserved_bytes ||
      !settings.cuda_peak_bytes || !settings.cuda_total_bytes)
    return {};
  const auto bytes = [](std::int64_t n) { return humane_bytes(static_cast<double>(n)); };
  return {{"", 0, std::nullopt, std::nullopt, Confidence::high,
           fmt::format("The GPU's memory ran out {} times: torch released its cache and tried "
                       "again, which stops the step. {} of {} reserved, {} used at most.",
                       *settings.cuda_retries, bytes(*settings.cuda_reserved_bytes),
                       bytes(*settings.cuda_total_bytes), bytes(*settings.cuda_peak_bytes)),
           "A smaller batch; or, where much more is reserved than used, "
           "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"}};
}

}  // namespace

const Rule kMemoryPressure{
    "memory-pressure",
    "The GPU's memory runs out",
    "torch's allocator had to release its cache because an allocation did not fit "
    "(`num_alloc_retries`).",
    "memory was sufficient, even if it was nearly full.",
    "Use a smaller batch, activation checkpointing, or `optimizer.zero_grad(set_to_none=True)` "
    "before validation. If much more is reserved than used, memory is fragmented: set "
    "`PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`.",
    "none: it is a risk. Each time costs milliseconds, and the next time the program may fail.",
    find_memory_pressure};

}  // namespace laptime
