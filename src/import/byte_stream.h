// An imported file as a stream of bytes. A stream holds a buffer of 64 KiB. Nothing in it grows
// with the file.
//
// A read beyond the end sets failed() and returns zeros from then on. So a parser checks once after
// a group of reads, and before it uses a number as a size.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/status.h"
#include "import/byte_source.h"
#include "import/import_budget.h"

namespace laptime {

class ByteStream {
 public:
  static constexpr std::size_t kBuffer = 64u << 10;

  struct Origin {
    bool is_compressed = false;
    std::string path;  // of an uncompressed regular file
  };
  // The stream contains the source's bytes unchanged; open_stream.h decompresses. Contract: the
  // budget outlives the stream.
  static Result<ByteStream> create(std::unique_ptr<ByteSource> source, ImportBudget& budget,
                                   Origin origin = {false, {}});

  // The next n bytes, or fewer at the end, without consuming them. Contract: n ≤ kBuffer. The view
  // is valid until the next call.
  ByteView peek(std::size_t n);
  // The buffered bytes, at least one. Empty only at the end. skip() consumes them.
  ByteView piece() { return peek(1).empty() ? ByteView() : buffered(); }
  // Contract: n ≤ the size of the last view.
  void skip(std::size_t n) {
    begin_ += n;
    offset_ += n;
  }

  // Fills `out`, or fails.
  void read(std::span<std::uint8_t> out);
  std::uint8_t u8() {
    if (begin_ == end_ && !fill(1)) return 0;
    ++offset_;
    return buffer_[begin_++];
  }
  template <typename Number>
  Number little_endian() {
    std::uint8_t bytes[sizeof(Number)];
    read(bytes);
    Number number;
    std::memcpy(&number, bytes, sizeof number);
    return number;
  }

  bool failed() const { return failed_; }
  // Why bytes are missing. Contract: failed(), or peek() returned too few bytes.
  tl::unexpected<Error> error() const;
  // The source failed. All bytes before that were returned.
  bool is_broken() const { return error_.has_value(); }
  // Compressed data ended too early. All bytes before that were returned.
  bool is_truncated() const { return at_end_ && source_->truncated_format() != nullptr; }
  // For an importer that needs a complete file: fails if the compressed data after the read bytes
  // is damaged or truncated. It checks a limited number of bytes. Other bytes after a profile are
  // ignored.
  Status finish();

  // Consumed bytes, after decompression.
  std::uint64_t offset() const { return offset_; }
  bool is_compressed() const { return origin_.is_compressed; }
  // For formats with random access, which open the file themselves. Empty unless the input is an
  // uncompressed regular file.
  const std::string& path() const { return origin_.path; }
  ImportBudget& budget() const { return *budget_; }

 private:
  ByteStream(std::unique_ptr<ByteSource> source, ImportBudget& budget, Origin origin);
  ByteView buffered() const { return ByteView(buffer_).subspan(begin_, end_ - begin_); }
  // Reads until n bytes are buffered. False, with failed(), at the end.
  bool fill(std::size_t n);
  // The same without failed().
  void buffer_up_to(std::size_t n);
  // Reads the next bytes of the source directly into `out`. 0 at the end.
  std::size_t pull(std::span<std::uint8_t> out);

  std::unique_ptr<ByteSource> source_;
  ImportBudget* budget_;
  Origin origin_;
  Bytes buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of the buffered bytes
  std::uint64_t offset_ = 0;
  std::optional<Error> error_;
  bool at_end_ = false, failed_ = false;
};

}  // namespace laptime
