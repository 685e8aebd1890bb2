#pragma once

#include <cstddef>
#include <cstdint>

namespace laptime::fuzz {

// Makes the checksum of every frame in the bytes right again, frames inside a batch first, so that
// damage reaches the code behind the checksums.
void restamp(std::uint8_t* data, std::size_t size);

}  // namespace laptime::fuzz
