// What compiling again and again costs: torch.compile's recompilations, TensorFlow's retracings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "advise/evidence/evidence.h"

namespace laptime {

struct Recompilations {
  std::int64_t count = 0;
  double ns = 0;       // of all
  Part part;           // of a mean step
  double step_ns = 0;  // a mean step with all compilations, also those of steps that do not count
  // Of those with one reason and line that took longest.
  std::string file, reason, function;
  std::uint32_t line = 0;
};

// `first`, `again`: what table `compile` calls the first compilation of a function, and later ones.
Recompilations find_recompilations(const Evidence& evidence, std::string_view first,
                                   std::string_view again);

}  // namespace laptime
