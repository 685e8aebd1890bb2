// The least number of bytes that an op must move: its inputs and output once each. Derived from its
// name and its inputs' shapes and types.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace laptime {

// The contents of the inner brackets of "[[64, 10], [], [3]]". Returns nothing if brackets nest
// deeper.
std::optional<std::vector<std::string_view>> split_shapes(std::string_view text);
// Parses "64, 10". Returns nothing for any other text.
std::optional<std::vector<std::uint64_t>> parse_sizes(std::string_view text);

// The number of elements in the tensor list that is the op's first input. Returns nothing if that
// input is no list.
std::optional<std::uint64_t> first_list_elements(std::string_view shapes, std::string_view types);

// Returns nothing unless the op is known to read its inputs once and write one output: elementwise
// ops, copies, fills, sums.
std::optional<std::uint64_t> bytes_moved(std::string_view op, std::string_view shapes,
                                         std::string_view types);

}  // namespace laptime
