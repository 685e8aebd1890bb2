#include "import/decompress.h"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>
#include <algorithm>
#include <bit>
#include <climits>
#include <cstdint>
#include <iterator>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "import/byte_stream.h"

namespace laptime {

namespace {

tl::unexpected<Error> damaged(const char* format) {
  return fail(ErrorKind::bad_file, std::string("holds damaged ") + format + " data");
}

// What zlib allocates to decompress: a window of 32 KiB and tables.
constexpr std::uint64_t kInflateMemory = 48u << 10;

bool is_gzip(ByteView head) {
  return head.size() >= 3 && head[0] == 0x1f && head[1] == 0x8b && head[2] == Z_DEFLATED;
}

// Returns the data before damage, then the error.
class Decompressor : public ByteSource {
 protected:
  explicit Decompressor(ByteStream stored) : stored_(std::move(stored)) {}
  void end_if_failed(Status status) {
    if (status) return;
    failure_ = std::move(status).error();
    at_end_ = true;
  }
  Result<std::size_t> given(std::size_t size) const {
    if (size == 0 && failure_) return tl::unexpected(*failure_);
    return size;
  }

  ByteStream stored_;
  std::optional<Error> failure_;
  bool at_end_ = false, is_truncated_ = false;
};

// A file of several members, as from pigz and bgzip, is their data joined.
class GzipSource final : public Decompressor {
 public:
  static Result<std::unique_ptr<ByteSource>> create(ByteStream stored) {
    if (!stored.budget().take(kInflateMemory)) return stored.budget().refusal();
    return std::unique_ptr<ByteSource>(new GzipSource(std::move(stored)));
  }
  GzipSource(const GzipSource&) = delete;
  ~GzipSource() override { inflateEnd(&zlib_); }

  Result<std::size_t> read(std::span<std::uint8_t> out) override {
    const auto wanted = static_cast<uInt>(std::min<std::size_t>(out.size(), UINT_MAX));
    zlib_.next_out = out.data();
    zlib_.avail_out = wanted;
    while (!at_end_ && zlib_.avail_out == wanted) end_if_failed(inflate_piece());
    return given(wanted - zlib_.avail_out);
  }
  const char* truncated_format() const override { return is_truncated_ ? "gzip" : nullptr; }

 private:
  explicit GzipSource(ByteStream stored) : Decompressor(std::move(stored)) {
    // The 16 makes zlib read gzip's header and checksum.
    if (inflateInit2(&zlib_, MAX_WBITS + 16) != Z_OK) throw std::bad_alloc();
  }

  Status inflate_piece() {
    const ByteView piece = stored_.piece();
    if (piece.empty()) {
      at_end_ = true;
      if (stored_.is_broken()) return stored_.error();
      is_truncated_ = true;
      return {};
    }
    zlib_.next_in = const_cast<Bytef*>(piece.data());
    zlib_.avail_in = static_cast<uInt>(piece.size());
    const int code = inflate(&zlib_, Z_NO_FLUSH);
    stored_.skip(piece.size() - zlib_.avail_in);
    if (code == Z_STREAM_END) return next_member();
    if (code == Z_OK || code == Z_BUF_ERROR) return {};
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    return damaged("gzip");
  }

  // Zeros after the last member are padding of tapes and disks.
  Status next_member() {
    const ByteView head = stored_.peek(kCompressionMagic);
    if (is_gzip(head) && inflateReset(&zlib_) == Z_OK) return {};
    at_end_ = true;
    if (stored_.is_broken()) return stored_.error();
    if (!head.empty() && head[0] != 0) return damaged("gzip");
    return {};
  }

  z_stream zlib_{};
};

bool is_zstd(ByteView head) {
  if (head.size() < 4) return false;
  const std::uint32_t magic = head[0] | head[1] << 8 | head[2] << 16 | std::uint32_t{head[3]} << 24;
  return magic == ZSTD_MAGICNUMBER || (magic & 0xFFFFFFF0) == 0x184D2A50;  // a skippable frame
}

class ZstdSource final : public Decompressor {
 public:
  static Result<std::unique_ptr<ByteSource>> create(ByteStream stored) {
    return std::unique_ptr<ByteSource>(new ZstdSource(std::move(stored)));
  }

  Result<std::size_t> read(std::span<std::uint8_t> out) override {
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    while (!at_end_ && output.pos == 0) end_if_failed(decompress_piece(output));
    return given(output.pos);
  }
  const char* truncated_format() const override { return is_truncated_ ? "zstd" : nullptr; }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  explicit ZstdSource(ByteStream stored)
      : Decompressor(std::move(stored)), zstd_(ZSTD_createDStream()) {
    if (!zstd_) throw std::bad_alloc();
    // The window is what zstd allocates; at most half of what is left.
    const int log = static_cast<int>(std::bit_width(stored_.budget().left() / 2)) - 1;
    const auto bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
    ZSTD_DCtx_setParameter(zstd_.get(), ZSTD_d_windowLogMax,
                           std::clamp(log, bounds.lowerBound, bounds.upperBound));
  }

  Status decompress_piece(ZSTD_outBuffer& output) {
    const ByteView piece = stored_.piece();
    if (piece.empty() && stored_.is_broken()) return stored_.error();
    ZSTD_inBuffer input{piece.data(), piece.size(), 0};
    // Without input it still returns buffered data.
    const std::size_t code = ZSTD_decompressStream(zstd_.get(), &output, &input);
    stored_.skip(input.pos);
    if (ZSTD_isError(code)) return failure(code);
    if (input.pos > 0 || output.pos > 0) is_frame_open_ = code != 0;
    at_end_ = piece.empty() && output.pos == 0;
    is_truncated_ = at_end_ && is_frame_open_;
    return count_memory();
  }

  static tl::unexpected<Error> failure(std::size_t code) {
    if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) throw std::bad_alloc();
    if (ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge)
      return fail(ErrorKind::bad_file,
                  "has a zstd window too large to import (--max-memory SIZE sets another limit)");
    return damaged("zstd");
  }

  Status count_memory() {
    const std::uint64_t now = ZSTD_sizeof_DStream(zstd_.get());
    ImportBudget& budget = stored_.budget();
    if (now > counted_ && !budget.take(now - std::exchange(counted_, now))) return budget.refusal();
    return {};
  }

  std::unique_ptr<ZSTD_DStream, Free> zstd_;
  std::uint64_t counted_ = 0;
  bool is_frame_open_ = false;
};

constexpr Compression kCompressions[] = {{"gzip", is_gzip, GzipSource::create},
                                         {"zstd", is_zstd, ZstdSource::create}};

}  // namespace

const Compression* compression_of(ByteView head) {
  const auto* found = std::find_if(std::begin(kCompressions), std::end(kCompressions),
                                   [&](const Compression& c) { return c.recognizes(head); });
  return found == std::end(kCompressions) ? nullptr : found;
}

}  // namespace laptime
