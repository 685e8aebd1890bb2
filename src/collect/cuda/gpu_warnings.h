// The warnings about missing GPU data, each with one name.
#pragma once

#include <cstdint>
#include <string_view>

#include "record/collector.h"

namespace laptime::cuda {

struct Warning {
  std::string_view name;
  Severity severity;
  std::string_view message;
};
inline constexpr Warning kBadTimes{
    "gpu_times", Severity::warning,
    "GPU records without a start, or that end before they start, were left out"};
inline constexpr Warning kDropped{"gpu_records_dropped", Severity::error,
                                  "CUPTI dropped GPU records because no buffer was free"};
inline constexpr Warning kMalformed{"gpu_records_malformed", Severity::error,
                                    "invalid GPU records were left out"};
inline constexpr Warning kConfigurations{
    "gpu_launch_configurations", Severity::info,
    "kernels past the limit of distinct grids and blocks have none"};
inline constexpr Warning kUnanswered{"gpu_work_not_seen", Severity::info,
                                     "launches whose GPU work did not arrive: it was not done when "
                                     "recording stopped, or there was none"};
inline constexpr Warning kNoGpu{
    "gpu_not_recorded", Severity::warning,
    "the GPU could not be recorded; the reason is on the program's stderr"};

inline void warn(const Warning& warning, std::uint64_t count = 1) {
  record::warn(record::warning_index(warning.name, warning.severity, warning.message), count);
}

}  // namespace laptime::cuda
