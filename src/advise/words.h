// The wording of findings.
#pragma once

#include <string>
#include <string_view>

#include "advise/evidence/evidence.h"

namespace laptime {

// "3.18 ms of a step (43 %)"
std::string of_a_step(const Evidence& evidence, double ns);
std::string percent(double share);
// "1 copy", "12 copies"
std::string counted(double count, const char* one, const char* many);
// A line of source in quotes, shortened to fit into a sentence. Empty if there is none.
std::string cited(std::string_view source);

// "train step", or "step" if the program does not name its phases.
std::string step_of_phase(std::string_view phase);

// Returns a fix that is an option of DataLoader in the words of the framework that makes the loader
// for the program. Any other fix is returned unchanged.
std::string in_makers_words(const Settings& settings, std::string fix);

}  // namespace laptime
