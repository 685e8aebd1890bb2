// Spans of the thread that trains, by name: those within the lap's steps, or between them.
#pragma once

#include <cstddef>
#include <string_view>

#include "advise/evidence.h"

namespace laptime {

struct SpansInSteps {
  std::size_t count = 0;
  double ns = 0, longest_ns = 0;
};

SpansInSteps spans_in_steps(const Evidence& evidence, std::string_view name);

// Those that lie between the lap's steps, in none of them.
SpansInSteps spans_between_steps(const Evidence& evidence, std::string_view name);

// The first span `name` after each span `after`.
SpansInSteps spans_after(const Evidence& evidence, std::string_view name, std::string_view after);

}  // namespace laptime
