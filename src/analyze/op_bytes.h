// How many bytes an op has to move at least: what it reads and writes once, from its name and the shapes and types of its inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace laptime {

struct TensorSize {
  std::uint64_t elements = 1, element_bytes = 0;

  std::uint64_t bytes() const { return elements * element_bytes; }
};
// The tensors among an op's inputs, from the texts that records hold: "[[64, 10], []]" and "["float", "Scalar"]". Nothing where one is
// a list of tensors or of a type unknown here, or where the texts do not belong together.
std::optional<std::vector<TensorSize>> parse_tensors(std::string_view shapes, std::string_view types);

// What stands in the inner brackets of "[[64, 10], [], [3]]"; nothing where they nest deeper.
std::optional<std::vector<std::string_view>> split_shapes(std::string_view text);
// "64, 10"; nothing where it is no such text.
std::optional<std::vector<std::uint64_t>> parse_sizes(std::string_view text);
// How many bytes an element of the type has, by c10's name for it.
std::optional<std::uint64_t> bytes_of_type(std::string_view name);

// How many elements the tensors of the list have that is the op's first input; nothing where it is no list.
std::optional<std::uint64_t> first_list_elements(std::string_view shapes, std::string_view types);

// Nothing for ops that are not known to read their inputs once and write one output (elementwise ones, copies, fills, sums).
std::optional<std::uint64_t> bytes_moved(std::string_view op, std::string_view shapes, std::string_view types);

}  // namespace laptime
