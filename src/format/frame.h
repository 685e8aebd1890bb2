// A frame: the unit that .lap files and part logs are made of, and the unit that damage is confined
// to.
//
//   byte 0       4    5     6    8            12          16          24
//        | magic |type|codec| 0  | stored size | raw size  | checksum | payload (stored size bytes)
//
// The checksum is XXH3-64 of the payload, seeded with the 12 bytes after the magic, so a header
// that lies fails too.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"

namespace laptime {

enum class FrameType : std::uint8_t {
  facts = 1,
  block = 2,
  batch = 3,  // only in part logs: the blocks that replace a list of raw slots, all or nothing
  footer = 4,
};
enum class Codec : std::uint8_t { raw = 0, zstd = 1 };

inline constexpr std::uint32_t kFrameMagic = 0x4d52464c;  // "LFRM"
inline constexpr std::size_t kFrameHeaderSize = 24;
// laptime writes far smaller frames. A larger size is damage. This bounds what a reader allocates
// for one frame.
inline constexpr std::uint32_t kMaxFrameSize = 64u << 20;

struct Frame {
  FrameType type;
  Codec codec;
  std::uint32_t raw_size;
  std::uint64_t checksum;
  ByteView payload;        // as stored, inside the buffer that was parsed
  std::size_t total_size;  // header and payload

  bool intact() const;
};

// Appends a frame. With Codec::zstd, the payload is compressed if that makes it smaller.
void append_frame(Bytes& out, FrameType type, Codec codec, ByteView payload);

// Writes the checksum into a header whose other fields are set. The payload follows the header.
void stamp_checksum(std::uint8_t* header, ByteView payload);

// The frame that starts at `offset`. Empty if there is no frame with plausible sizes. Does not
// check intact().
std::optional<Frame> parse_frame(ByteView file, std::size_t offset);

// The first offset at or after `offset` with a frame's magic, or file.size().
std::size_t find_frame(ByteView file, std::size_t offset);

// The decompressed payload; `scratch` holds it if it was compressed. Empty if its size differs from
// the header's.
std::optional<ByteView> open_payload(const Frame& frame, Bytes& scratch);

bool zstd_append(Bytes& out, ByteView raw);
bool zstd_expand(ByteView stored, std::size_t raw_size, Bytes& out);

}  // namespace laptime
