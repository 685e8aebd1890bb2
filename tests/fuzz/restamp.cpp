#include "restamp.h"

#include <vector>

#include "format/frame.h"

namespace laptime::fuzz {

void restamp(std::uint8_t* data, std::size_t size) {
  const ByteView file(data, size);
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; (at = find_frame(file, at)) < size; at += 4) starts.push_back(at);
  for (auto at = starts.rbegin(); at != starts.rend(); ++at)
    if (const auto frame = parse_frame(file, *at)) stamp_checksum(data + *at, frame->payload);
}

}  // namespace laptime::fuzz
