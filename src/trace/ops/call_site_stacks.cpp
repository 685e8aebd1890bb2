#include "trace/ops/call_site_stacks.h"

#include <fmt/format.h>
#include <map>
#include <utility>

namespace laptime {

namespace {

using Line = std::pair<std::uint32_t, std::uint32_t>;  // code and line

std::vector<Line> lines_at(const Run& run, std::uint32_t call_site, std::size_t most) {
  std::vector<Line> lines;
  const CallSite& at = run.call_sites[call_site];
  if (at.frame == 0 && call_site != 0 && most > 0) lines.emplace_back(at.code, at.line);
  for (std::uint32_t row = at.frame; row != 0 && lines.size() < most;
       row = run.call_frames[row].caller)
    lines.emplace_back(run.call_frames[row].code, run.call_frames[row].line);
  return lines;
}

}  // namespace

std::vector<std::string> stack_at(const Run& run, std::uint32_t call_site) {
  constexpr std::size_t kDeepest = 1024;  // bounds what a damaged file can cause
  std::vector<std::string> texts;
  for (const auto& [code, line] : lines_at(run, call_site, kDeepest))
    texts.push_back(fmt::format("{}({}): {}", run.strings[run.codes[code].file], line,
                                run.strings[run.codes[code].name]));
  return texts;
}

std::vector<std::uint32_t> stack_groups(const Run& run, std::size_t depth) {
  std::map<std::vector<Line>, std::uint32_t> numbers{{{}, 0}};
  std::vector<std::uint32_t> groups(run.call_sites.size());
  for (std::uint32_t call_site = 1; call_site < groups.size(); ++call_site)
    groups[call_site] = numbers
                            .try_emplace(lines_at(run, call_site, depth),
                                         static_cast<std::uint32_t>(numbers.size()))
                            .first->second;
  return groups;
}

}  // namespace laptime
