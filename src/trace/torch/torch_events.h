// The ops of an interval in the form of torch.profiler: a list in the order of starts, with
// parents, self times, own memory, call sites and kernels.
//
// The interval is that of one span, identified by its link, in the span's process. Everything
// within it counts. As in torch:
// - A node whose only child has the same name is replaced by the child (`aten::add` around
//   `aten::add`).
// - The calls that make annotations, and a few that only read a flag, are left out.
// - Driver calls that launch GPU work or wait for it are events.
// - Memory belongs to the innermost event on its thread. Memory outside all events is a row of its
//   own (`[memory]`).
// - Kernels count for the event that launched them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "trace/run/run.h"
#include "trace/torch/torch_event.h"
#include "trace/torch/torch_memory.h"
#include "trace/torch/torch_notes.h"

namespace laptime {

struct TorchEvents {
  std::vector<TorchEvent> events;     // by start, an outer one before its inner ones
  std::vector<MemoryInstant> memory;  // by time
  std::uint32_t process = 0;
  std::int64_t begin_ns = 0, duration_ns = 0;  // of the interval, in the run
};

// The name that torch.profiler writes.
std::string event_name(const TorchEvent& event, const Run& run);

// Autograd's sequence number and forward thread, from a link. -1 and 0 if there are none.
inline std::int64_t sequence_number(std::uint64_t link) {
  return static_cast<std::int64_t>(link & 0xFFFF'FFFFu) - 1;
}
inline std::uint32_t forward_thread(std::uint64_t link) {
  return static_cast<std::uint32_t>(link >> 32 & 0xFF);
}

// True for the node that computes a gradient, false for the engine's call around it.
bool is_backward_node(const TorchEvent& event, const Run& run);

// Whether events get call sites (attribution.h). That takes as long as everything else together.
enum class CallSites : bool { no, yes };

// Fails if no span has the link.
Result<TorchEvents> torch_events(const Run& run, std::uint64_t interval, CallSites call_sites,
                                 TorchNotes notes = {});

}  // namespace laptime
