// Plays a process's memory events again: which blocks were alive when, on each device.
//
// Records may be missing (full buffers, resting steps, a kill) or odd. An allocation where a block still lives ends that
// block first: its release was missed. A release of an address where nothing lives changes nothing. A role told for an
// address where nothing lives is a block from before the recording: it counts from then on. So live bytes are always the sum
// of the blocks that are alive, and never negative.
#pragma once

#include <cstdint>
#include <deque>

#include "analyze/live_blocks.h"
#include "analyze/memory_events.h"
#include "model/run.h"

namespace laptime {

struct DeviceMemory {
  std::uint32_t device = 0;  // string id
  std::uint32_t number = 0;  // among the process's devices, in the order in which they occur
  LiveBlocks live;
  std::uint64_t live_bytes = 0;
};

// What may be watched; an observer hides what it does not want to ignore.
struct MemoryObserver {
  // Each is called when live and live_bytes include what it tells.
  void born(const DeviceMemory&, const MemoryBlock&) {}
  // `release`: the event that ended it; an allocation or role where it was missed. The block is no longer in `live`.
  void died(const DeviceMemory&, const MemoryBlock&, const MemoryEvent& /*release*/) {}
  // The block's role is set.
  void got_role(const DeviceMemory&, const MemoryBlock&) {}
};

template <typename Observer>
class MemoryReplay {
 public:
  MemoryReplay(const Run& run, Observer& observer) : run_(run), observer_(observer) {}

  // Once.
  void play(std::uint32_t process) {
    for_each_memory_event(run_, process, [this](const MemoryEvent& event) { take(event); });
  }

  const std::deque<DeviceMemory>& devices() const { return devices_; }

 private:
  void take(const MemoryEvent& event) {
    switch (event.kind) {
      case SpanKind::allocate: return allocate(device_of(event.name), event);
      case SpanKind::release: return release(device_of(event.name), event);
      default: return tell_role(event);
    }
  }
  void allocate(DeviceMemory& memory, const MemoryEvent& event) {
    release(memory, event);
    add(memory, {event.address, event.bytes, event.time_ns, event.track, event.row, 0, false});
  }
  void add(DeviceMemory& memory, const MemoryBlock& block) {
    memory.live_bytes += block.bytes;
    const MemoryBlock& added = memory.live.add(block);
    observer_.born(memory, added);
  }
  void release(DeviceMemory& memory, const MemoryEvent& event) {
    MemoryBlock* const found = memory.live.find(event.address);
    if (!found) return;
    const MemoryBlock block = *found;
    memory.live.remove(found);
    memory.live_bytes -= block.bytes;
    observer_.died(memory, block, event);
  }
  void tell_role(const MemoryEvent& event) {
    for (DeviceMemory& memory : devices_)
      if (MemoryBlock* const block = memory.live.find(event.address)) {
        block->role = event.name;
        return observer_.got_role(memory, *block);
      }
    const std::uint32_t device = event.device_of_role ? event.device_of_role : run_.strings.find("cpu");
    add(device_of(device), {event.address, event.bytes, event.time_ns, event.track, event.row, event.name, true});
  }
  DeviceMemory& device_of(std::uint32_t name) {
    for (DeviceMemory& memory : devices_)
      if (memory.device == name) return memory;
    DeviceMemory& added = devices_.emplace_back();
    added.device = name;
    added.number = static_cast<std::uint32_t>(devices_.size() - 1);
    return added;
  }

  const Run& run_;
  Observer& observer_;
  std::deque<DeviceMemory> devices_;  // stay where they are
};

}  // namespace laptime
