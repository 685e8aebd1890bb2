// Small runs whose blocks and facts expand to gigabytes. A reader has to refuse each of them.
#pragma once

#include <vector>

#include "seeds.h"

namespace laptime::fuzz {

std::vector<Seed> bombs();

// Ten million spans at a constant distance: as small as a bomb, and an honest run.
Seed long_run();

}  // namespace laptime::fuzz
