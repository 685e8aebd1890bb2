// Lines of source files as the run stored them. A file that a run names is never opened.
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
  // Lines count from 1. Nothing where the run holds no text of the file.
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

// Why there is no source, for the title of a table; empty where nobody asked for that.
std::string source_note(const Run& run);

}  // namespace laptime
