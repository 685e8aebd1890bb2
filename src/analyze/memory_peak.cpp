#include "analyze/memory_peak.h"

#include <algorithm>
#include <unordered_map>

#include "analyze/memory_categories.h"
#include "analyze/memory_replay.h"

namespace laptime {

namespace {

struct Height {
  std::uint64_t births = 0;  // so far
  std::uint64_t peak_bytes = 0, peak_birth = 0;
};

// Where the peaks are: the birth, counted by device, that made each.
struct PeakFinder : MemoryObserver {
  std::vector<Height> heights;  // by device

  void born(const DeviceMemory& memory, const MemoryBlock&) {
    if (memory.number >= heights.size()) heights.resize(memory.number + 1);
    Height& height = heights[memory.number];
    ++height.births;
    if (memory.live_bytes <= height.peak_bytes) return;
    height.peak_bytes = memory.live_bytes;
    height.peak_birth = height.births;
  }
};

// Takes what is alive at the known peaks, and follows it from there.
class PeakTaker : public MemoryObserver {
 public:
  PeakTaker(std::vector<Height> heights, std::uint32_t process) : process_(process), devices_(heights.size()) {
    for (std::size_t i = 0; i < heights.size(); ++i) devices_[i].height = heights[i];
  }

  void born(const DeviceMemory& memory, const MemoryBlock& block) {
    Device& device = devices_[memory.number];
    if (++device.births != device.height.peak_birth) return;
    device.peak = {process_, memory.device, block.born_ns, memory.live_bytes, {}};
    memory.live.for_each([&](const MemoryBlock& alive) {
      device.index.emplace(alive.address, device.peak.blocks.size());
      device.peak.blocks.push_back({alive});
    });
  }
  void died(const DeviceMemory& memory, const MemoryBlock& block, const MemoryEvent& release) {
    if (PeakBlock* const taken = find(memory, block)) taken->died_ns = release.time_ns;
  }
  void got_role(const DeviceMemory& memory, const MemoryBlock& block) {
    if (PeakBlock* const taken = find(memory, block)) taken->block.role = block.role;
  }

  void move_peaks_to(std::vector<MemoryPeak>& peaks) {
    for (Device& device : devices_)
      if (device.height.peak_bytes > 0) peaks.push_back(std::move(device.peak));
  }

 private:
  struct Device {
    Height height;
    std::uint64_t births = 0;
    MemoryPeak peak{};
    std::unordered_map<std::uint64_t, std::size_t> index;  // by address
  };
  PeakBlock* find(const DeviceMemory& memory, const MemoryBlock& block) {
    // A device of which only odd releases are known has no peak.
    if (memory.number >= devices_.size()) return nullptr;
    Device& device = devices_[memory.number];
    const auto it = device.index.find(block.address);
    if (it == device.index.end()) return nullptr;
    PeakBlock& taken = device.peak.blocks[it->second];
    return taken.block.track == block.track && taken.block.row == block.row ? &taken : nullptr;
  }

  std::uint32_t process_;
  std::vector<Device> devices_;
};

// Blocks in the order of their birth, so that what is made of them does not depend on addresses.
void sort_blocks(std::vector<PeakBlock>& blocks) {
  std::sort(blocks.begin(), blocks.end(), [](const PeakBlock& a, const PeakBlock& b) {
    return std::tie(a.block.born_ns, a.block.track, a.block.row) < std::tie(b.block.born_ns, b.block.track, b.block.row);
  });
}

}  // namespace

std::vector<MemoryPeak> find_memory_peaks(const Run& run, const OpAttribution& ops) {
  std::vector<MemoryPeak> peaks;
  for (std::uint32_t process = 0; process < run.processes.size(); ++process) {
    PeakFinder finder;
    MemoryReplay(run, finder).play(process);
    if (finder.heights.empty()) continue;
    PeakTaker taker(std::move(finder.heights), process);
    MemoryReplay(run, taker).play(process);
    const std::size_t before = peaks.size();
    taker.move_peaks_to(peaks);
    const MemoryCategories categories(run, ops, process);
    for (std::size_t i = before; i < peaks.size(); ++i) {
      sort_blocks(peaks[i].blocks);
      for (PeakBlock& block : peaks[i].blocks) categories.describe(block);
    }
  }
  return peaks;
}

}  // namespace laptime
