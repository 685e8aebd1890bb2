// What the GPU's data can lack, each under one name.
#pragma once

#include <cstdint>
#include <string_view>

#include "record/collector.h"

namespace laptime::cuda {

struct Loss {
  std::string_view name;
  Severity severity;
  std::string_view message;
};
inline constexpr Loss kBadTimes{
    "gpu_times", Severity::warning,
    "GPU records without a start, or that end before they start, were left out"};
inline constexpr Loss kDropped{"gpu_records_dropped", Severity::error,
                               "CUPTI dropped GPU records because no buffer was free"};
inline constexpr Loss kMalformed{"gpu_records_malformed", Severity::error,
                                 "GPU records that make no sense were left out"};
inline constexpr Loss kConfigurations{
    "gpu_launch_configurations", Severity::info,
    "kernels past the limit of distinct grids and blocks have none"};
inline constexpr Loss kUnanswered{"gpu_work_not_seen", Severity::info,
                                  "launches whose GPU work did not arrive: it was not done when "
                                  "recording stopped, or there was none"};
inline constexpr Loss kNoGpu{"gpu_not_recorded", Severity::warning,
                             "the GPU could not be recorded; the program's messages say why"};

inline void lose(const Loss& loss, std::uint64_t count = 1) {
  record::lose(record::loss_index(loss.name, loss.severity, loss.message), count);
}

}  // namespace laptime::cuda
