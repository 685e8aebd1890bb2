#include "trace/memory/memory_history.h"

#include <algorithm>
#include <deque>

#include "base/parallel.h"
#include "format/names.h"
#include "trace/memory/live_blocks.h"
#include "trace/memory/memory_events.h"

namespace laptime {

namespace {

// Replays a process's memory events.
class MemoryReplay {
 public:
  MemoryReplay(const Run& run, std::uint32_t process) : run_(run), process_(process) {
    for (const Track& track : run.tracks) {
      if (track.process != process) continue;
      const auto count = [&](SpanKind kind) {
        return static_cast<std::size_t>(
            std::count(track.spans.kind.begin(), track.spans.kind.end(), kind));
      };
      allocations_ += count(SpanKind::allocate);
      releases_ += count(SpanKind::release);
    }
  }

  std::vector<MemoryHistory> play() {
    for_each_memory_event(run_, process_, [this](const MemoryEvent& event) {
      first_ns_ = std::min(first_ns_, event.time_ns);
      last_ns_ = event.time_ns;
      take(event);
    });
    std::vector<MemoryHistory> histories;
    for (DeviceBlocks& device : devices_) {
      device.history.first_ns = first_ns_;
      device.history.last_ns = last_ns_;
      histories.push_back(std::move(device.history));
    }
    return histories;
  }

 private:
  struct DeviceBlocks {
    MemoryHistory history;
    LiveBlocks live;
  };

  void take(const MemoryEvent& event) {
    switch (event.kind) {
      case SpanKind::allocate:
        return allocate(device_of(event.name), event);
      case SpanKind::release:
        if (DeviceBlocks* const device = find_device(event.name)) end_block(*device, event);
        return;
      default:
        return set_role(event);
    }
  }
  void allocate(DeviceBlocks& device, const MemoryEvent& event) {
    end_block(device, event);
    add(device, event.address,
        {.bytes = event.bytes, .born_ns = event.time_ns, .track = event.track, .row = event.row});
  }
  void add(DeviceBlocks& device, std::uint64_t address, const MemoryBlock& block) {
    const auto number = static_cast<std::uint32_t>(device.history.blocks.size());
    device.live.add(address, number);
    device.history.blocks.push_back(block);
    device.history.changes.push_back({number, 1});
  }
  // `event`: the release, or an allocation that shows that it was missed.
  void end_block(DeviceBlocks& device, const MemoryEvent& event) {
    LiveBlocks::Entry* const found = device.live.find(event.address);
    if (!found) return;
    MemoryBlock& block = device.history.blocks[found->block];
    block.died_ns = event.time_ns;
    if (event.kind == SpanKind::release) {
      block.released_track = event.track;
      block.released_row = event.row;
    }
    device.history.changes.push_back({found->block, 0});
    device.live.remove(found);
  }
  void set_role(const MemoryEvent& event) {
    for (DeviceBlocks& device : devices_)
      if (const LiveBlocks::Entry* const found = device.live.find(event.address)) {
        device.history.blocks[found->block].role = event.name;
        return;
      }
    const std::uint32_t device =
        event.device_of_role ? event.device_of_role : run_.strings.find(kCpuName);
    add(device_of(device), event.address,
        {.bytes = event.bytes,
         .born_ns = event.time_ns,
         .track = event.track,
         .row = event.row,
         .role = event.name,
         .from_before = true});
  }
  DeviceBlocks* find_device(std::uint32_t name) {
    for (DeviceBlocks& device : devices_)
      if (device.history.device == name) return &device;
    return nullptr;
  }
  DeviceBlocks& device_of(std::uint32_t name) {
    if (DeviceBlocks* const known = find_device(name)) return *known;
    DeviceBlocks& added = devices_.emplace_back();
    added.history.process = process_;
    added.history.device = name;
    // Growing would touch twice the memory. Unused memory is never touched.
    added.history.blocks.reserve(allocations_);
    added.history.changes.reserve(allocations_ + releases_);
    return added;
  }

  const Run& run_;
  std::uint32_t process_;
  std::size_t allocations_ = 0, releases_ = 0;
  std::deque<DeviceBlocks> devices_;  // stay where they are
  std::int64_t first_ns_ = INT64_MAX, last_ns_ = INT64_MIN;
};

}  // namespace

std::vector<MemoryHistory> read_memory_histories(const Run& run) {
  std::vector<std::vector<MemoryHistory>> by_process(run.processes.size());
  parallel_for(by_process.size(), [&](std::size_t process) {
    by_process[process] = MemoryReplay(run, static_cast<std::uint32_t>(process)).play();
  });
  std::vector<MemoryHistory> all;
  for (std::vector<MemoryHistory>& histories : by_process)
    for (MemoryHistory& history : histories) all.push_back(std::move(history));
  return all;
}

}  // namespace laptime
