#include <fmt/format.h>

#include "advise/rules.h"
#include "advise/words.h"
#include "base/humane.h"
#include "tables/code/line_columns.h"
#include "tables/memory/memory_growth.h"
#include "trace/code/line_ids.h"

namespace laptime {

namespace {

// Per step. Less is counters and lists of numbers, which programs keep.
constexpr double kLeastBytes = 1024;

std::vector<Finding> find_memory_growth(const Evidence& evidence) {
  const std::vector<MemoryGrowth> growing = find_memory_growth(evidence.analysis());
  if (growing.empty() || growing.front().bytes_per_step() < kLeastBytes) return {};
  const MemoryGrowth& fastest = growing.front();
  const LineIds& lines = evidence.analysis().lines();
  const std::uint32_t id = lines[fastest.call_site];
  const std::string file(file_at(lines, id).value_or(""));
  const std::string source = id ? evidence.source(file, lines.line(id)) : "";
  return {{file, line_at(lines, id).value_or(0), std::nullopt, std::nullopt, Confidence::high,
           fmt::format("Memory grows by {} in every step, {} so far: what{} makes is kept.",
                       humane_bytes(fastest.bytes_per_step()),
                       humane_bytes(static_cast<double>(fastest.gained_bytes)),
                       source.empty() ? " an op" : cited(source)),
           "Keep numbers, not tensors: losses.append(loss.item()), or loss.detach(); a tensor with "
           "a graph keeps all of it alive"}};
}

}  // namespace

const Rule kMemoryGrowth{
    "memory-growth",
    "Memory grows step after step",
    "with `--memory`: memory that a line allocated stays allocated step after step, at least 1 "
    "kB more in each (table `memory_growth`).",
    "memory was not recorded, or nothing grows.",
    "Keep numbers, not tensors: `losses.append(loss.item())` or `loss.detach()`. A tensor that was "
    "computed with gradients keeps its whole graph alive.",
    "none: it is a risk. The run ends when memory runs out.",
    find_memory_growth};

}  // namespace laptime
