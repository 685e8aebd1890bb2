#include "trace/code/source_lines.h"

#include <algorithm>

#include "trace/code/line_facts.h"

namespace laptime {

namespace {

// A small file may hold texts that unpack to much more. Texts beyond this size are not shown.
constexpr std::size_t kMostUnpacked = 256u << 20;

}  // namespace

SourceLines::File SourceLines::unpack(std::string_view name) {
  File file;
  const auto source = sources_.find(name);
  if (source == sources_.end() || unpacked_ + source->second.raw_size > kMostUnpacked) return file;
  unpacked_ += source->second.raw_size;
  auto text = laptime::unpack(source->second);
  if (!text || text->empty()) return file;
  file.text = std::move(*text);
  file.starts.push_back(0);
  for (std::size_t i = 0; i < file.text.size(); ++i)
    if (file.text[i] == '\n') file.starts.push_back(i + 1);
  if (file.starts.back() != file.text.size()) file.starts.push_back(file.text.size() + 1);
  return file;
}

std::optional<std::string_view> SourceLines::find(std::string_view file, std::uint32_t line) {
  auto it = files_.find(file);
  if (it == files_.end()) it = files_.emplace(file, unpack(file)).first;
  const File& found = it->second;
  if (line == 0 || line >= found.starts.size()) return std::nullopt;
  const std::size_t begin = found.starts[line - 1];
  return std::string_view(found.text).substr(begin, found.starts[line] - 1 - begin);
}

std::string source_note(const Run& run) {
  const bool left_out = std::any_of(run.processes.begin(), run.processes.end(),
                                    [](const Process& p) { return leaves_source_out(p); });
  return left_out ? "; source left out (--no-source)" : "";
}

}  // namespace laptime
