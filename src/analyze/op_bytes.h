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

// Nothing for ops that are not known to read their inputs once and write one output (elementwise ones, copies, fills, sums).
std::optional<std::uint64_t> bytes_moved(std::string_view op, std::string_view shapes, std::string_view types);

}  // namespace laptime
