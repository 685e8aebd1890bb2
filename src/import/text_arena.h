// Keeps texts that were read from a stream. Contract: a text stays where it is as long as the arena
// lives.
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
  // Takes `size` bytes of the stream. Empty when they are not there, or beyond the budget. A size
  // that the stream does not have costs memory for the bytes that it has.
  std::string_view read(ByteStream& in, std::uint64_t size);

 private:
  std::string_view read_long(ByteStream& in, std::uint64_t size);

  ImportBudget* budget_;
  Bytes block_;              // takes short texts until it is full
  std::vector<Bytes> kept_;  // full blocks, and a block for each long text
};

}  // namespace laptime
