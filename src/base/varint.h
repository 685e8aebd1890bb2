// LEB128 variable-length integers and zigzag, as in the .lap format (docs/file-format.md,
// "Numbers").
//
// Assumption on writing: the caller has reserved kMaxVarint bytes. Contract on reading: read_varint
// never reads at or past `end`. It returns nullptr for a truncated or over-long number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace laptime {

inline constexpr std::size_t kMaxVarint = 10;

inline std::uint8_t* put_varint(std::uint8_t* out, std::uint64_t v) {
  while (v >= 0x80) {
    *out++ = static_cast<std::uint8_t>(v) | 0x80;
    v >>= 7;
  }
  *out++ = static_cast<std::uint8_t>(v);
  return out;
}

inline const std::uint8_t* read_varint_slow(const std::uint8_t* p, const std::uint8_t* end,
                                            std::uint64_t& v) {
  std::uint64_t result = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (p == end) return nullptr;
    const std::uint64_t byte = *p++;
    if (shift == 63 && byte > 1) return nullptr;
    result |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      v = result;
      return p;
    }
  }
  return nullptr;
}

// One, two and three bytes cover most deltas and durations. Longer numbers use the loop.
inline const std::uint8_t* read_varint(const std::uint8_t* p, const std::uint8_t* end,
                                       std::uint64_t& v) {
  if (end - p < 4) [[unlikely]]
    return read_varint_slow(p, end, v);
  std::uint32_t word;
  std::memcpy(&word, p, 4);
  if (!(word & 0x80)) {
    v = word & 0x7f;
    return p + 1;
  }
  if (!(word & 0x8000)) {
    v = (word & 0x7f) | ((word & 0x7f00) >> 1);
    return p + 2;
  }
  if (!(word & 0x800000)) {
    v = (word & 0x7f) | ((word & 0x7f00) >> 1) | ((word & 0x7f0000) >> 2);
    return p + 3;
  }
  return read_varint_slow(p, end, v);
}

inline std::uint64_t zigzag(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63);
}
inline std::int64_t unzigzag(std::uint64_t v) {
  return static_cast<std::int64_t>((v >> 1) ^ (~(v & 1) + 1));
}

}  // namespace laptime
