#include "trace/memory/memory_peak.h"

#include <optional>

#include "trace/memory/memory_categories.h"

namespace laptime {

namespace {

struct Height {
  std::uint64_t bytes = 0;
  std::size_t changes = 0;  // up to and including the peak
  std::size_t births = 0;   // allocations among them
};

Height find_height(const MemoryHistory& history) {
  Height highest;
  std::size_t changes = 0, births = 0;
  history.for_each_change([&](const MemoryBlock&, bool birth, std::uint64_t live_bytes) {
    ++changes;
    births += birth;
    if (live_bytes > highest.bytes) highest = {live_bytes, changes, births};
  });
  return highest;
}

// In order of allocation.
std::vector<PeakBlock> blocks_alive(const MemoryHistory& history, const Height& height) {
  std::vector<bool> dead(height.births);
  for (std::size_t i = 0; i < height.changes; ++i)
    if (!history.changes[i].birth) dead[history.changes[i].block] = true;
  std::vector<PeakBlock> alive;
  for (std::size_t i = 0; i < height.births; ++i)
    if (!dead[i]) alive.push_back({history.blocks[i]});
  return alive;
}

}  // namespace

std::vector<MemoryPeak> find_memory_peaks(const Run& run, const OpAttribution& ops,
                                          const std::vector<MemoryHistory>& histories) {
  std::vector<MemoryPeak> peaks;
  std::optional<MemoryCategories> categories;  // of the last process
  for (const MemoryHistory& history : histories) {
    const Height height = find_height(history);
    if (height.bytes == 0) continue;
    if (peaks.empty() || peaks.back().process != history.process)
      categories.emplace(run, ops, history.process);
    std::vector<PeakBlock> blocks = blocks_alive(history, height);
    for (PeakBlock& block : blocks) categories->describe(block);
    peaks.push_back({history.process, history.device, blocks.back().block.born_ns, height.bytes,
                     std::move(blocks)});
  }
  return peaks;
}

}  // namespace laptime
