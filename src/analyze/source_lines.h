// Lines of source files as they are on this machine now. Whether that is what ran, nobody can tell: a file that is gone,
// too large, or no plain file has no lines.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace laptime {

class SourceLines {
 public:
  // Relative names are looked for under `directory`, where the program ran. Lines count from 1.
  std::optional<std::string_view> find(std::string_view file, std::string_view directory, std::uint32_t line);

 private:
  struct File {
    std::string text;
    std::vector<std::size_t> starts;  // of lines, and one past the end
  };
  static File read(const std::string& path);
  std::map<std::string, File> files_;
};

}  // namespace laptime
