// The Python frames at a call site, innermost first. Some call sites have only the user's line,
// perhaps with a package's line below it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

// "file(line): function" for each frame, as torch.profiler writes it. Empty for the unknown call
// site.
std::vector<std::string> stack_at(const Run& run, std::uint32_t call_site);

// By call site: a number shared by call sites whose innermost `depth` frames are equal. 0 is the
// unknown call site.
std::vector<std::uint32_t> stack_groups(const Run& run, std::size_t depth);

}  // namespace laptime
