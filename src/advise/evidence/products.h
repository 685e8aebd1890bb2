// Kernels that multiply matrices or convolve, by what they multiply with.
#pragma once

#include <optional>
#include <string_view>

#include "advise/evidence/evidence.h"

namespace laptime {

bool multiplies_in(std::string_view kernel, Precision precision);

struct Products {
  double ns = 0;                      // of a step's kernels
  const StepWork* largest = nullptr;  // null: there are none
};
// `counts`: which of them do.
Products products_of(const GpuSteps& gpu, std::initializer_list<Precision> precisions,
                     bool (*counts)(const StepWork&) = nullptr);

// What is left of products' time on units that are `from` / `to` as fast, by the peaks of the first
// card: near the ratio of the peaks, which large products come close to. Nothing where the card is
// not known.
struct Left {
  double expected, best, worst;
};
std::optional<Left> left_on_card(const Evidence& evidence, Precision from, Precision to);

}  // namespace laptime
