// libFuzzer's mutations, with the checksums made right again three times out of four.
#include <cstddef>
#include <cstdint>

#include "restamp.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  const std::size_t mutated = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 4 != 0) laptime::fuzz::restamp(data, mutated);
  return mutated;
}
