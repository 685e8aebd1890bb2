// How findings say things.
#pragma once

#include <string>
#include <string_view>

#include "advise/evidence.h"

namespace laptime {

// "3.18 ms of a step (43 %)"
std::string of_a_step(const Evidence& evidence, double ns);
std::string percent(double share);
// "1 copy", "12 copies"
std::string counted(double count, const char* one, const char* many);
// A line of source, in quotes and cut to what a sentence bears; empty when there is none.
std::string cited(std::string_view source);
// Whether the source calls one of these functions: a word that ends with the name, right before a
// bracket.
bool calls_any(std::string_view source, std::initializer_list<std::string_view> names);

// "train step"; "step" of a program that does not name its phases.
std::string step_of_phase(std::string_view phase);

}  // namespace laptime
