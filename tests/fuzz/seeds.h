// Valid files to start fuzzing from: small, and between them with every table, codec and kind of
// fact.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"

namespace laptime::fuzz {

struct Seed {
  std::string name;
  Bytes bytes;
};

std::vector<Seed> sealed_seeds();
std::vector<Seed> part_seeds();

}  // namespace laptime::fuzz
