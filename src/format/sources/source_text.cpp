#include "format/sources/source_text.h"

#include "format/frame.h"

namespace laptime {

namespace {

ByteView bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

PackedSource pack_source(std::string_view text) {
  PackedSource packed{static_cast<std::uint32_t>(text.size()), {}};
  if (!zstd_append(packed.stored, bytes_of(text))) packed.stored.assign(text.begin(), text.end());
  return packed;
}

std::optional<std::string> unpack_source(std::string_view stored, std::size_t raw_size) {
  if (raw_size > kMaxSourceText) return std::nullopt;
  if (stored.size() == raw_size) return std::string(stored);
  Bytes raw;
  if (!zstd_expand(bytes_of(stored), raw_size, raw)) return std::nullopt;
  return std::string(raw.begin(), raw.end());
}

}  // namespace laptime
