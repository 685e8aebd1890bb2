// Stores texts from a stream. Contract: a text keeps its address for the arena's lifetime.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "import/byte_stream.h"

namespace laptime {

class TextArena {
 public:
  explicit TextArena(ImportBudget& budget) : budget_(&budget) {}
  // Reads `size` bytes of the stream. Empty if the stream has fewer, or the budget is exceeded. A
  // size beyond the stream's end costs only the memory of the bytes that exist.
  std::string_view read(ByteStream& in, std::uint64_t size);

 private:
  std::string_view read_long(ByteStream& in, std::uint64_t size);

  ImportBudget* budget_;
  Bytes block_;              // for short texts, until it is full
  std::vector<Bytes> kept_;  // full blocks, and a block for each long text
};

}  // namespace laptime
