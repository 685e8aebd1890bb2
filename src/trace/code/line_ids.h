// Merges call sites that are the same line: equal function and line, in any process or module.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/code/code_merge.h"
#include "trace/run/run.h"

namespace laptime {

class LineIds {
 public:
  explicit LineIds(const Run& run);

  // Id 0 is the unknown line.
  std::uint32_t operator[](std::uint32_t call_site) const { return ids_[call_site]; }
  std::size_t size() const { return lines_.size(); }
  std::uint32_t code(std::uint32_t id) const {
    return lines_[id].code;
  }  // a first row of MergedCodes
  std::uint32_t line(std::uint32_t id) const { return lines_[id].line; }
  // Contract: not of id 0.
  std::string_view file(std::uint32_t id) const { return run_.strings[run_.codes[code(id)].file]; }

 private:
  struct Line {
    std::uint32_t code, line;
  };
  const Run& run_;
  std::vector<std::uint32_t> ids_;  // by call site
  std::vector<Line> lines_;
};

}  // namespace laptime
