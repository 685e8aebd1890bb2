// The ops of an interval of a run the way torch.profiler shows them: a list in the order of starts,
// with parents, own shares of time and memory, and the line and kernels of each.
//
// The interval is that of one span, known by its link, in the process that recorded it: what lies
// within counts. As torch does, a node whose only child has its name takes the child's place
// (`aten::add` around `aten::add`), and the calls that make annotations and a few that only read a
// flag are left out. Calls of the driver that give work to a GPU or wait for it are events too.
// Memory belongs to the innermost event on its own thread; what no event contains is a row of its
// own (`[memory]`). Kernels count for the event that launched them.
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
  std::vector<TorchEvent> events;     // by start, an outer one before those it contains
  std::vector<MemoryInstant> memory;  // by time
  std::uint32_t process = 0;
  std::int64_t begin_ns = 0, duration_ns = 0;  // of the interval, in the run
};

// As torch.profiler writes it.
std::string event_name(const TorchEvent& event, const Run& run);

// Autograd's sequence number and forward thread, from a link; -1 and 0 where there are none.
inline std::int64_t sequence_number(std::uint64_t link) {
  return static_cast<std::int64_t>(link & 0xFFFF'FFFFu) - 1;
}
inline std::uint32_t forward_thread(std::uint64_t link) {
  return static_cast<std::uint32_t>(link >> 32 & 0xFF);
}

// The node that computes a gradient, not the engine's call around it.
bool is_backward_node(const TorchEvent& event, const Run& run);

// Whether events get their lines (attribution.h), which takes as long as all the rest.
enum class CallSites : bool { no, yes };

// An error when no span has the link.
Result<TorchEvents> torch_events(const Run& run, std::uint64_t interval, CallSites call_sites,
                                 TorchNotes notes = {});

}  // namespace laptime
