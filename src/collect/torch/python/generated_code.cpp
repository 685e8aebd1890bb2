#include "collect/torch/python/generated_code.h"

#include <algorithm>

namespace laptime::torch {

GeneratedPart part_at(const std::vector<GeneratedPart>& parts, std::uint32_t line) {
  const auto after = std::upper_bound(
      parts.begin(), parts.end(), line,
      [](std::uint32_t l, const GeneratedPart& part) { return l < part.first_line; });
  return after == parts.begin() ? GeneratedPart{} : *(after - 1);
}

}  // namespace laptime::torch
