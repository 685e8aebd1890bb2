// The types of tensor elements, by c10's names, and the result type of an op on several types.
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
// Null: an unknown name.
const ElementType* find_element_type(std::string_view name);

struct Operand {
  const ElementType* type;
  bool has_dimensions;
};
// The type that an op computes with, by torch's type promotion. Operands without dimensions count
// only if no other operand has their category or a higher one.
// Assumption: a double without dimensions is a Python number. Consequence: integers times such a
// number become floats of 4 bytes, torch's default.
// Contract: at least one operand.
const ElementType& promoted_type(std::span<const Operand> operands);

}  // namespace laptime
