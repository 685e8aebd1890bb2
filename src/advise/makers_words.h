// Advice about a loader that a framework makes for the program, in the words of that framework.
#pragma once

#include <string>

#include "advise/settings.h"

namespace laptime {

// Of a fix that is an option of DataLoader: where the program sets it. Any other fix is returned as
// it is.
std::string in_makers_words(const Settings& settings, std::string fix);

}  // namespace laptime
