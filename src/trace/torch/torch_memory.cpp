#include "trace/torch/torch_memory.h"

#include "trace/memory/memory_events.h"

namespace laptime {

TorchMemory read_memory(const Run& run, std::uint32_t process, std::int64_t begin_ns,
                        std::int64_t end_ns) {
  TorchMemory memory;
  std::unordered_map<std::uint64_t, std::uint64_t> alive;
  for_each_memory_event(run, process, [&](const MemoryEvent& event) {
    if (!is_memory_instant(event.kind)) return;
    std::uint64_t size = event.bytes;
    if (event.kind == SpanKind::allocate) alive[event.address] = size;
    if (event.kind == SpanKind::release) {
      const auto known = alive.find(event.address);
      if (known != alive.end() && size == 0) size = known->second;
      if (known != alive.end()) alive.erase(known);
      if (size == 0) return;
    }
    if (event.time_ns < begin_ns || event.time_ns > end_ns) return;
    const auto change =
        static_cast<std::int64_t>(event.kind == SpanKind::release ? 0 - size : size);
    memory.instants.push_back(
        {event.time_ns - begin_ns, change, event.address, event.name, event.track});
    memory.bytes.emplace(instant_key(event.track, event.row), change);
  });
  return memory;
}

}  // namespace laptime
