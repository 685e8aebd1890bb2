#pragma once

#include "format/reader.h"

namespace laptime::fuzz {

// What every command does with a file that opened: loads it. And, for one input in eight by its
// size (it takes most of the time), what the end of a recording does: seals it, after which it must
// open again. Aborts when it does not.
void load_and_seal(RunContent content, std::size_t input_size);

}  // namespace laptime::fuzz
