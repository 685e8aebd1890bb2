#include "import/byte_stream.h"

#include <algorithm>
#include <utility>

namespace laptime {

ByteStream::ByteStream(std::unique_ptr<ByteSource> source, ImportBudget& budget, Origin origin)
    : source_(std::move(source)), budget_(&budget), origin_(std::move(origin)), buffer_(kBuffer) {}

Result<ByteStream> ByteStream::create(std::unique_ptr<ByteSource> source, ImportBudget& budget,
                                      Origin origin) {
  if (!budget.take(kBuffer)) return budget.refusal();
  return ByteStream(std::move(source), budget, std::move(origin));
}

std::size_t ByteStream::pull(std::span<std::uint8_t> out) {
  if (at_end_) return 0;
  auto n = source_->read(out);
  at_end_ = !n || *n == 0;
  if (n) return *n;
  error_ = std::move(n).error();
  return 0;
}

void ByteStream::buffer_up_to(std::size_t n) {
  if (kBuffer - begin_ < n) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
  }
  while (end_ - begin_ < n && !at_end_) end_ += pull(std::span(buffer_).subspan(end_));
}

bool ByteStream::fill(std::size_t n) {
  if (failed_) return false;
  if (begin_ == end_) begin_ = end_ = 0;
  buffer_up_to(n);
  failed_ = end_ - begin_ < n;
  return !failed_;
}

ByteView ByteStream::peek(std::size_t n) {
  if (failed_) return {};
  if (begin_ == end_) begin_ = end_ = 0;
  if (end_ - begin_ < n) buffer_up_to(n);
  return buffered().first(std::min(n, end_ - begin_));
}

void ByteStream::read(std::span<std::uint8_t> out) {
  std::size_t done = 0;
  while (done < out.size() && !failed_) {
    const std::size_t n = std::min(out.size() - done, end_ - begin_);
    std::copy_n(buffer_.data() + begin_, n, out.data() + done);
    skip(n);
    done += n;
    if (out.size() - done >= kBuffer) {
      const std::size_t pulled = pull(out.subspan(done));
      done += pulled;
      offset_ += pulled;
      failed_ = pulled == 0;
    } else if (done < out.size()) {
      fill(1);
    }
  }
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(failed_ ? 0 : done), out.end(), 0);
}

tl::unexpected<Error> ByteStream::error() const {
  if (error_) return tl::unexpected(*error_);
  const char* format = source_->truncated_format();
  return fail(ErrorKind::bad_file, format != nullptr ? std::string("is cut short: its ") + format +
                                                           " data ends before its end"
                                                     : "is cut short");
}

Status ByteStream::finish() {
  if (!origin_.is_compressed) return {};
  for (std::size_t seen = 0; seen <= kBuffer && !at_end_;) {
    const std::size_t n = piece().size();
    skip(n);
    seen += n;
  }
  if (is_broken() || is_truncated()) return error();
  return {};
}

}  // namespace laptime
