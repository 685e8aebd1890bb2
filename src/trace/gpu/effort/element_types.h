// The types of tensors' elements, by c10's names for them, and which type an op makes of several.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace laptime {

enum class TypeCategory : std::uint8_t { boolean, integer, real, complex };

struct ElementType {
  std::string_view name;
  std::uint64_t bytes;
  TypeCategory category;
};
// Null: unknown here.
const ElementType* find_element_type(std::string_view name);

struct Operand {
  const ElementType* type;
  bool has_dimensions;
};
// Of what an op computes from the operands, as torch promotes types: those without dimensions count
// where no other is of their category or a higher one. Assumption: a double without dimensions is a
// Python number. Consequence: integers times such a number are floats of 4 bytes, torch's default.
// At least one operand.
const ElementType& promoted_type(std::span<const Operand> operands);

}  // namespace laptime
