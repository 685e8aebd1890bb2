// A sealed .lap file of hostile bytes.
#include "format/reader.h"
#include "load_and_seal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto run = laptime::read_sealed({data, size}, "input");
  if (run) laptime::fuzz::load_and_seal(std::move(*run), size);
  return 0;
}
