#include "analyze/source_lines.h"

#include <filesystem>

#include "base/file.h"

namespace laptime {

namespace {

constexpr std::uintmax_t kMaxSourceBytes = 16u << 20;

}  // namespace

SourceLines::File SourceLines::read(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  File file;
  if (error || size > kMaxSourceBytes) return file;
  const auto bytes = read_whole_file(path);
  if (!bytes || bytes->empty()) return file;
  file.text.assign(bytes->begin(), bytes->end());
  file.starts.push_back(0);
  for (std::size_t i = 0; i < file.text.size(); ++i)
    if (file.text[i] == '\n') file.starts.push_back(i + 1);
  if (file.starts.back() != file.text.size()) file.starts.push_back(file.text.size() + 1);
  return file;
}

std::optional<std::string_view> SourceLines::find(std::string_view file, std::string_view directory, std::uint32_t line) {
  // "<stdin>", "<frozen importlib>" …
  if (file.empty() || file.front() == '<' || line == 0) return std::nullopt;
  const std::string path = (std::filesystem::path(directory) / file).string();
  auto it = files_.find(path);
  if (it == files_.end()) it = files_.emplace(path, read(path)).first;
  const File& found = it->second;
  if (line >= found.starts.size()) return std::nullopt;
  const std::size_t begin = found.starts[line - 1];
  std::string_view text = std::string_view(found.text).substr(begin, found.starts[line] - 1 - begin);
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

}  // namespace laptime
