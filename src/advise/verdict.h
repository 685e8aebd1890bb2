// A run in one sentence: what a step of its main phase spends most time on, whether the machine was
// busy, whether few slow steps hold much of the time, and whether most of the run lies outside of
// steps.
#pragma once

#include <string>

#include "trace/analysis.h"

namespace laptime {

// Empty for a run without steps that count.
std::string verdict(const Analysis& analysis);

}  // namespace laptime
