#include "trace/gpu/effort/element_types.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace laptime {

namespace {

constexpr ElementType kTypes[] = {
    {"bool", 1, TypeCategory::boolean},
    {"unsigned char", 1, TypeCategory::integer},
    {"signed char", 1, TypeCategory::integer},
    {"short int", 2, TypeCategory::integer},
    {"int", 4, TypeCategory::integer},
    {"long int", 8, TypeCategory::integer},
    {"c10::Float8_e5m2", 1, TypeCategory::real},
    {"c10::Float8_e4m3fn", 1, TypeCategory::real},
    {"c10::Half", 2, TypeCategory::real},
    {"c10::BFloat16", 2, TypeCategory::real},
    {"float", 4, TypeCategory::real},
    {"double", 8, TypeCategory::real},
    {"c10::complex<c10::Half>", 4, TypeCategory::complex},
    {"c10::complex<float>", 8, TypeCategory::complex},
    {"c10::complex<double>", 16, TypeCategory::complex},
};

const ElementType& type_named(std::string_view name) { return *find_element_type(name); }

// The type that can hold two types of the category when neither can hold the other: 16-bit floats,
// signed and unsigned bytes.
const ElementType& next_wider(TypeCategory category) {
  return type_named(category == TypeCategory::real ? "float" : "short int");
}

const ElementType& complex_of(const ElementType& part) {
  return type_named(part.name == "double"      ? "c10::complex<double>"
                    : part.name == "c10::Half" ? "c10::complex<c10::Half>"
                                               : "c10::complex<float>");
}

const ElementType& promoted(const ElementType& a, const ElementType& b) {
  const auto& [low, high] = std::minmax(a, b, [](const ElementType& x, const ElementType& y) {
    return std::pair(x.category, x.bytes) < std::pair(y.category, y.bytes);
  });
  if (low.category == high.category)
    return low.bytes == high.bytes && low.name != high.name ? next_wider(high.category) : high;
  return high.category == TypeCategory::complex && low.category == TypeCategory::real &&
                 complex_of(low).bytes > high.bytes
             ? complex_of(low)
             : high;
}

const ElementType& as_number(const ElementType& type) {
  return type.name == "double"                 ? type_named("float")
         : type.name == "c10::complex<double>" ? type_named("c10::complex<float>")
                                               : type;
}

// Null: no operand.
const ElementType* promoted_of(std::span<const Operand> operands, bool has_dimensions) {
  const ElementType* result = nullptr;
  for (const Operand& operand : operands)
    if (operand.has_dimensions == has_dimensions)
      result = result ? &promoted(*result, *operand.type) : operand.type;
  return result;
}

}  // namespace

const ElementType* find_element_type(std::string_view name) {
  const auto type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                 [&](const ElementType& t) { return t.name == name; });
  return type == std::end(kTypes) ? nullptr : type;
}

const ElementType& promoted_type(std::span<const Operand> operands) {
  const ElementType *const sized = promoted_of(operands, true), *const single =
                                                                    promoted_of(operands, false);
  if (!sized || !single) return sized ? *sized : *single;
  if (single->category <= sized->category) return *sized;
  return sized->category == TypeCategory::real ? complex_of(*sized)
                                               : promoted(*sized, as_number(*single));
}

}  // namespace laptime
