// The text of a source file inside a SourceFact: UTF-8, lines end with "\n", compressed if that
// makes it smaller.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "format/facts.h"

namespace laptime {

// A larger file is generated data, not a program for people.
inline constexpr std::size_t kMaxSourceText = 2u << 20;
// Compressed. The limit for a recording process, and for a run when it is sealed.
inline constexpr std::size_t kMaxStoredSources = 32u << 20;

// The warning about files whose text is not in the run.
inline constexpr std::string_view kSourceLeftOut = "source_left_out";
inline constexpr std::string_view kSourceLeftOutMessage =
    "source files without text in the run: over 2 MB, over 32 MB in all, or changed after the "
    "program loaded them";

struct PackedSource {
  std::uint32_t raw_size = 0;
  Bytes stored;

  // A view of it.
  SourceFact fact(std::uint32_t file) const {
    return {file, raw_size, {reinterpret_cast<const char*>(stored.data()), stored.size()}};
  }
};

// Assumption: the text is not longer than kMaxSourceText.
PackedSource pack_source(std::string_view text);

// Empty if the bytes are not a packed text of that size.
std::optional<std::string> unpack_source(std::string_view stored, std::size_t raw_size);

}  // namespace laptime
