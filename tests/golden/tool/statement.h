// A line of a run's text, split into words: plain, "quoted" with \xNN, \n, \" and \\, or key=value.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace laptime {

struct Statement {
  std::string verb;
  std::vector<std::string> words;              // after the verb
  std::map<std::string, std::string> options;  // key=value

  // The word at `index`. Fails if there are fewer.
  Result<std::string> word(std::size_t index) const;
  // Nanoseconds: 12, 12us, 3ms, 2s. A sign is allowed.
  Result<std::int64_t> time(std::size_t index) const;
  Result<std::int64_t> number(std::size_t index) const;
};

Result<Statement> parse_statement(std::string_view line);
Result<std::int64_t> parse_number(const std::string& text);

}  // namespace laptime
