// A part of a .lap.d folder of hostile bytes, as a process that died left it.
#include "format/reader.h"
#include "load_and_seal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const laptime::Bytes aligned(data, data + size);  // parts are mapped at a page's start
  laptime::RunContent run;
  if (laptime::read_part(run, aligned, "input")) laptime::fuzz::load_and_seal(std::move(run), size);
  return 0;
}
