// Kernels that multiply matrices or convolve, by the precision of their factors.
#pragma once

#include <optional>
#include <string_view>

#include "advise/evidence/evidence.h"

namespace laptime {

bool multiplies_in(std::string_view kernel, Precision precision);

struct Products {
  double ns = 0;                      // per step
  const StepWork* largest = nullptr;  // null: there are none
};
// `counts`: the kernels with these precisions.
Products products_of(const GpuSteps& gpu, std::initializer_list<Precision> precisions,
                     bool (*counts)(const StepWork&) = nullptr);

// The share of products' time that remains on units with `to` instead of `from` as peak. It is near
// the ratio of the first card's peaks, which large products almost reach. Nothing for an unknown
// card.
struct Left {
  double expected, best, worst;
};
std::optional<Left> left_on_card(const Evidence& evidence, Precision from, Precision to);

}  // namespace laptime
