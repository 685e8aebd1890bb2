// The frames of Python that stood at a call site, innermost first. Where only the user's own line
// is known, and perhaps a package's below it, that is all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

// "file(line): function" of each, as torch.profiler writes them. Empty for the unknown call site.
std::vector<std::string> stack_at(const Run& run, std::uint32_t call_site);

// By call site: a number that call sites share whose innermost `depth` frames are the same; 0 is
// the unknown call site's.
std::vector<std::uint32_t> stack_groups(const Run& run, std::size_t depth);

}  // namespace laptime
