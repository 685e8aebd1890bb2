// Lines of source files, from the text stored in the run. Files named by a run are never opened.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

class SourceLines {
 public:
  // Assumption: the run outlives this.
  explicit SourceLines(const Run& run) : sources_(run.sources) {}
  // Lines count from 1. Returns nothing if the run has no text of the file.
  std::optional<std::string_view> find(std::string_view file, std::uint32_t line);

 private:
  struct File {
    std::string text;
    std::vector<std::size_t> starts;  // of lines, and one past the end
  };
  File unpack(std::string_view file);

  const SourceTexts& sources_;
  std::size_t unpacked_ = 0;
  std::map<std::string, File, std::less<>> files_;
};

// For a table's title: why there is no source. Empty if source text was not requested.
std::string source_note(const Run& run);

}  // namespace laptime
