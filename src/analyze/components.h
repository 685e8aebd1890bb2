// Strongly connected components: nodes that reach each other. In a call graph these are the recursions.
#pragma once

#include <cstdint>
#include <vector>

namespace laptime {

// A component number for each node. `targets[i]` are the nodes that i points to.
std::vector<std::uint32_t> find_components(const std::vector<std::vector<std::uint32_t>>& targets);

}  // namespace laptime
