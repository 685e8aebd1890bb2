// Maps lines of modules that torch.compile generated to lines of the program.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace laptime::torch {

// The lines of a generated file from `first_line` to the next part's.
struct GeneratedPart {
  std::uint32_t first_line;
  std::uint32_t code, line;  // of the program; 0: unknown
};

// Not synchronized: the caller locks.
class GeneratedCode {
 public:
  // `parts`: sorted by first line.
  void add(const std::string& file, std::vector<GeneratedPart> parts) {
    files_[file] = std::move(parts);
  }
  // Null: torch.compile did not generate the file, or nothing is known of it.
  const std::vector<GeneratedPart>* find(const std::string& file) const {
    const auto found = files_.find(file);
    return found == files_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, std::vector<GeneratedPart>> files_;
};

// The part that a line of a generated file was made from.
GeneratedPart part_at(const std::vector<GeneratedPart>& parts, std::uint32_t line);

}  // namespace laptime::torch
