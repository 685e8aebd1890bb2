#include "format/frame.h"

#include <zstd.h>
#include <cstring>
#include <memory>
#include <new>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace laptime {

namespace {

// Fast enough to keep up with recording threads on one core. Higher levels save less than 4 % on
// span columns.
constexpr int kZstdLevel = 1;

std::uint64_t checksum_of(const std::uint8_t* header, ByteView payload) {
  std::uint64_t low = 0;
  std::uint32_t high = 0;
  std::memcpy(&low, header + 4, 8);
  std::memcpy(&high, header + 12, 4);
  return XXH3_64bits_withSeed(payload.data(), payload.size(), low * 0x9E3779B97F4A7C15ull + high);
}

void store32(std::uint8_t* p, std::uint32_t v) { std::memcpy(p, &v, 4); }
std::uint32_t load32(const std::uint8_t* p) {
  std::uint32_t v;
  std::memcpy(&v, p, 4);
  return v;
}

struct FreeCompressor {
  void operator()(ZSTD_CCtx* c) const { ZSTD_freeCCtx(c); }
};
struct FreeDecompressor {
  void operator()(ZSTD_DCtx* d) const { ZSTD_freeDCtx(d); }
};

}  // namespace

bool zstd_append(Bytes& out, ByteView raw) {
  thread_local std::unique_ptr<ZSTD_CCtx, FreeCompressor> context(ZSTD_createCCtx());
  if (!context) context.reset(ZSTD_createCCtx());
  if (!context) return false;  // no memory: stored uncompressed
  const std::size_t before = out.size();
  out.resize(before + ZSTD_compressBound(raw.size()));
  const std::size_t n = ZSTD_compressCCtx(context.get(), out.data() + before, out.size() - before,
                                          raw.data(), raw.size(), kZstdLevel);
  if (ZSTD_isError(n) || n >= raw.size()) {
    out.resize(before);
    return false;
  }
  out.resize(before + n);
  return true;
}

bool zstd_expand(ByteView stored, std::size_t raw_size, Bytes& out) {
  thread_local std::unique_ptr<ZSTD_DCtx, FreeDecompressor> context(ZSTD_createDCtx());
  if (!context) context.reset(ZSTD_createDCtx());
  if (!context) throw std::bad_alloc();
  if (raw_size > kMaxFrameSize) return false;
  out.resize(raw_size);
  return ZSTD_decompressDCtx(context.get(), out.data(), raw_size, stored.data(), stored.size()) ==
         raw_size;
}

void append_frame(Bytes& out, FrameType type, Codec codec, ByteView payload) {
  const std::size_t at = out.size();
  out.resize(at + kFrameHeaderSize);
  if (codec == Codec::raw || !zstd_append(out, payload)) {
    codec = Codec::raw;
    out.insert(out.end(), payload.begin(), payload.end());
  }
  std::uint8_t* header = out.data() + at;
  const ByteView stored(header + kFrameHeaderSize, out.size() - at - kFrameHeaderSize);
  store32(header, kFrameMagic);
  header[4] = static_cast<std::uint8_t>(type);
  header[5] = static_cast<std::uint8_t>(codec);
  header[6] = header[7] = 0;
  store32(header + 8, static_cast<std::uint32_t>(stored.size()));
  store32(header + 12, static_cast<std::uint32_t>(payload.size()));
  stamp_checksum(header, stored);
}

void stamp_checksum(std::uint8_t* header, ByteView payload) {
  const std::uint64_t sum = checksum_of(header, payload);
  std::memcpy(header + 16, &sum, 8);
}

std::optional<Frame> parse_frame(ByteView file, std::size_t offset) {
  if (offset > file.size() || file.size() - offset < kFrameHeaderSize) return std::nullopt;
  const std::uint8_t* header = file.data() + offset;
  if (load32(header) != kFrameMagic) return std::nullopt;
  const std::uint32_t stored = load32(header + 8);
  Frame frame;
  frame.type = static_cast<FrameType>(header[4]);
  frame.codec = static_cast<Codec>(header[5]);
  frame.raw_size = load32(header + 12);
  std::memcpy(&frame.checksum, header + 16, 8);
  if (stored > kMaxFrameSize || frame.raw_size > kMaxFrameSize) return std::nullopt;
  if (stored > file.size() - offset - kFrameHeaderSize) return std::nullopt;
  frame.payload = file.subspan(offset + kFrameHeaderSize, stored);
  frame.total_size = kFrameHeaderSize + stored;
  return frame;
}

bool Frame::intact() const {
  return checksum_of(payload.data() - kFrameHeaderSize, payload) == checksum;
}

std::size_t find_frame(ByteView file, std::size_t offset) {
  for (; offset + kFrameHeaderSize <= file.size(); ++offset) {
    const void* hit = std::memchr(file.data() + offset, kFrameMagic & 0xff, file.size() - offset);
    if (!hit) break;
    offset = static_cast<std::size_t>(static_cast<const std::uint8_t*>(hit) - file.data());
    if (file.size() - offset >= 4 && load32(file.data() + offset) == kFrameMagic) return offset;
  }
  return file.size();
}

std::optional<ByteView> open_payload(const Frame& frame, Bytes& scratch) {
  if (frame.codec == Codec::raw)
    return frame.raw_size == frame.payload.size() ? std::optional(frame.payload) : std::nullopt;
  if (frame.codec != Codec::zstd || !zstd_expand(frame.payload, frame.raw_size, scratch))
    return std::nullopt;
  return ByteView(scratch);
}

}  // namespace laptime
