// How many bytes an op has to move at least: what it reads and writes once, from its name and the
// shapes and types of its inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace laptime {

// What stands in the inner brackets of "[[64, 10], [], [3]]"; nothing where they nest deeper.
std::optional<std::vector<std::string_view>> split_shapes(std::string_view text);
// "64, 10"; nothing where it is no such text.
std::optional<std::vector<std::uint64_t>> parse_sizes(std::string_view text);

// How many elements the tensors of the list have that is the op's first input; nothing where it is
// no list.
std::optional<std::uint64_t> first_list_elements(std::string_view shapes, std::string_view types);

// Nothing for ops that are not known to read their inputs once and write one output (elementwise
// ones, copies, fills, sums).
std::optional<std::uint64_t> bytes_moved(std::string_view op, std::string_view shapes,
                                         std::string_view types);

}  // namespace laptime
