#include "import/text_arena.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace laptime {

namespace {

constexpr std::size_t kBlock = 64u << 10;
constexpr std::size_t kLong = kBlock / 8;  // a longer text gets a block of its own

std::string_view text_of(const Bytes& block, std::size_t begin) {
  return {reinterpret_cast<const char*>(block.data()) + begin, block.size() - begin};
}

}  // namespace

std::string_view TextArena::read(ByteStream& in, std::uint64_t size) {
  if (size == 0 || in.failed() || budget_->exceeded()) return {};
  if (size > kLong) return read_long(in, size);
  const auto n = static_cast<std::size_t>(size);
  if (block_.capacity() - block_.size() < n) {
    if (!budget_->take(kBlock) || !budget_->make_room(kept_)) return {};
    kept_.push_back(std::exchange(block_, {}));
    block_.reserve(kBlock);
  }
  const std::size_t begin = block_.size();
  block_.resize(begin + n);
  in.read(std::span(block_).subspan(begin));
  return in.failed() ? std::string_view() : text_of(block_, begin);
}

std::string_view TextArena::read_long(ByteStream& in, std::uint64_t size) {
  Bytes text;
  while (text.size() < size) {
    const auto more = static_cast<std::size_t>(std::min<std::uint64_t>(size - text.size(), kBlock));
    if (!budget_->make_room(text, more)) return {};
    const std::size_t begin = text.size();
    text.resize(begin + more);
    in.read(std::span(text).subspan(begin));
    if (in.failed()) return {};
  }
  if (!budget_->make_room(kept_)) return {};
  return text_of(kept_.emplace_back(std::move(text)), 0);
}

}  // namespace laptime
