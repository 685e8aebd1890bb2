// Byte buffers for encoding and decoding. ByteReader never trusts its input: a read past the end
// sets failed() and returns zeros from then on. So a decoder checks once, after a group of reads
// and before it uses a number as a size.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/varint.h"

namespace laptime {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

class ByteWriter {
 public:
  explicit ByteWriter(Bytes& out) : out_(out) {}

  void varint(std::uint64_t v) {
    std::uint8_t buffer[kMaxVarint];
    append(buffer, static_cast<std::size_t>(put_varint(buffer, v) - buffer));
  }
  void signed_varint(std::int64_t v) { varint(zigzag(v)); }
  void u8(std::uint8_t v) { out_.push_back(v); }
  void f64(double v) { append(&v, sizeof v); }
  void string(std::string_view s) {
    varint(s.size());
    append(s.data(), s.size());
  }
  void append(const void* data, std::size_t n) {
    const auto* p = static_cast<const std::uint8_t*>(data);
    out_.insert(out_.end(), p, p + n);
  }

 private:
  Bytes& out_;
};

class ByteReader {
 public:
  explicit ByteReader(ByteView in) : p_(in.data()), end_(in.data() + in.size()) {}

  std::uint64_t varint() {
    std::uint64_t v = 0;
    const std::uint8_t* next = failed_ ? nullptr : read_varint(p_, end_, v);
    if (!next) {
      failed_ = true;
      return 0;
    }
    p_ = next;
    return v;
  }
  std::int64_t signed_varint() { return unzigzag(varint()); }
  std::uint8_t u8() {
    const ByteView b = bytes(1);
    return b.empty() ? 0 : b[0];
  }
  double f64() {
    double v = 0;
    if (const ByteView b = bytes(sizeof v); !b.empty()) std::memcpy(&v, b.data(), sizeof v);
    return v;
  }
  std::string_view string() {
    const ByteView b = bytes(varint());
    return {reinterpret_cast<const char*>(b.data()), b.size()};
  }
  ByteView bytes(std::uint64_t n) {
    if (failed_ || n > remaining()) {
      failed_ = true;
      return {};
    }
    const ByteView view(p_, static_cast<std::size_t>(n));
    p_ += n;
    return view;
  }
  std::size_t remaining() const { return failed_ ? 0 : static_cast<std::size_t>(end_ - p_); }
  bool failed() const { return failed_; }

 private:
  const std::uint8_t* p_;
  const std::uint8_t* end_;
  bool failed_ = false;
};

}  // namespace laptime
