#include "import/xplane/plane_stream.h"

#include <algorithm>
#include <utility>

namespace laptime {

namespace {

enum class Wire : std::uint32_t { varint = 0, fixed64 = 1, length = 2, fixed32 = 5 };
constexpr std::uint64_t kMaxTag = UINT32_MAX;

}  // namespace

Result<PlaneStream> PlaneStream::open(ByteStream& in) {
  PlaneStream stream(in);
  if (in.path().empty()) return stream;
  ASSIGN_OR_RETURN(stream.file_, MappedFile::open(in.path()));
  return stream;
}

PlaneStream::PlaneStream(PlaneStream&& other) noexcept
    : in_(other.in_),
      file_(std::move(other.file_)),
      at_(other.at_),
      buffer_(std::move(other.buffer_)),
      counted_(std::exchange(other.counted_, 0)),
      truncated_(other.truncated_),
      damaged_(other.damaged_) {}

PlaneStream::~PlaneStream() { in_->budget().give_back(counted_); }

std::optional<std::uint8_t> PlaneStream::byte() {
  if (!file_) {
    if (in_->peek(1).empty()) return std::nullopt;
    return in_->u8();
  }
  const ByteView bytes = file_->bytes();
  if (at_ == bytes.size()) return std::nullopt;
  return bytes[at_++];
}

std::optional<std::uint64_t> PlaneStream::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto next = byte();
    if (!next) {
      truncated_ |= shift > 0;
      return std::nullopt;
    }
    value |= std::uint64_t{*next & 0x7fu} << shift;
    if (*next < 0x80) return value;
  }
  return UINT64_MAX;  // neither a tag nor a length
}

bool PlaneStream::skip(std::uint64_t bytes) {
  if (file_) {
    truncated_ |= bytes > file_->bytes().size() - at_;
    if (!truncated_) at_ += bytes;
    return !truncated_;
  }
  while (bytes > 0) {
    const ByteView piece = in_->piece();
    truncated_ |= piece.empty();
    if (truncated_) return false;
    const std::size_t taken = std::min<std::uint64_t>(bytes, piece.size());
    in_->skip(taken);
    bytes -= taken;
  }
  return true;
}

// A length that the stream does not have costs memory for the bytes that it has.
Result<std::optional<ByteView>> PlaneStream::take(std::uint64_t bytes) {
  if (file_) {
    const std::size_t begin = at_;
    if (!skip(bytes)) return std::nullopt;
    return file_->bytes().subspan(begin, bytes);
  }
  buffer_.clear();
  while (buffer_.size() < bytes) {
    const ByteView piece = in_->piece();
    truncated_ |= piece.empty();
    if (truncated_) return std::nullopt;
    const std::size_t taken = std::min<std::uint64_t>(bytes - buffer_.size(), piece.size());
    const std::size_t capacity = buffer_.capacity();
    if (!in_->budget().make_room(buffer_, taken)) return in_->budget().refusal();
    counted_ += buffer_.capacity() - capacity;
    buffer_.insert(buffer_.end(), piece.begin(),
                   piece.begin() + static_cast<std::ptrdiff_t>(taken));
    in_->skip(taken);
  }
  return ByteView(buffer_);
}

Result<std::optional<PlaneStream::Field>> PlaneStream::next() {
  for (;;) {
    const auto tag = varint();
    if (!tag) return std::nullopt;
    damaged_ = *tag > kMaxTag || *tag < 8;
    if (damaged_) return std::nullopt;
    switch (static_cast<Wire>(*tag & 7)) {
      case Wire::varint:
        if (!varint()) {
          truncated_ = true;
          return std::nullopt;
        }
        break;
      case Wire::fixed64:
        if (!skip(8)) return std::nullopt;
        break;
      case Wire::fixed32:
        if (!skip(4)) return std::nullopt;
        break;
      case Wire::length: {
        const auto length = varint();
        truncated_ |= !length;
        if (!length) return std::nullopt;
        ASSIGN_OR_RETURN(const auto bytes, take(*length));
        if (!bytes) return std::nullopt;
        return Field{static_cast<std::uint32_t>(*tag >> 3), *bytes};
      }
      default:
        damaged_ = true;
        return std::nullopt;
    }
  }
}

}  // namespace laptime
