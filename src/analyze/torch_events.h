// The ops of a stretch of a run the way torch.profiler shows them: a list in the order of starts, with parents, own shares
// of time and memory, and the line and kernels of each.
//
// The stretch is that of one span, known by its link, in the process that recorded it: what lies within counts. As torch
// does, a node whose only child has its name takes the child's place (`aten::add` around `aten::add`), and the calls that
// make annotations and a few that only read a flag are left out. Calls of the driver that give work to a GPU or wait for it are events too. Memory belongs to the innermost event on its own thread;
// what no event contains is a row of its own (`[memory]`). Kernels count for the event that launched them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/torch_memory.h"
#include "analyze/torch_notes.h"
#include "base/status.h"
#include "model/run.h"

namespace laptime {

struct TorchEvent {
  static constexpr std::uint32_t kNone = ~0u;

  std::int64_t start_ns, duration_ns;  // since the stretch's begin
  std::int64_t children_ns = 0;        // what its direct children took
  std::int64_t kernel_ns = 0, self_kernel_ns = 0;
  std::int64_t cpu_bytes = 0, self_cpu_bytes = 0;
  std::int64_t device_bytes = 0, self_device_bytes = 0;
  std::int64_t flops = 0;
  std::int64_t moved_bytes = 0;  // by a copy or fill
  std::uint64_t link = 0;
  std::uint64_t id = 0;          // torch's number of the op, where it was noted
  std::uint32_t name = 0, shapes = 0, types = 0;  // string ids
  std::uint32_t place = 0;                        // Run::places
  std::uint32_t geometry = 0;                     // of a kernel: string id, as docs/records.md says
  std::uint32_t details = 0;                      // string id: TorchNote::details
  std::uint32_t parent = kNone;
  std::uint32_t track = 0;  // Run::tracks
  SpanKind kind = SpanKind::op;
  bool on_device = false;

  // Something that torch runs, not a call of the driver or work of a device.
  bool is_operation() const { return kind == SpanKind::op || kind == SpanKind::backward || kind == SpanKind::annotation; }
  bool is_annotation() const { return kind == SpanKind::annotation; }
  bool is_memory() const { return is_mark(kind); }
  std::int64_t self_ns() const { return duration_ns - children_ns; }
};

struct TorchEvents {
  std::vector<TorchEvent> events;  // by start, an outer one before those it contains
  std::vector<MemoryMark> memory;  // by time
  std::uint32_t process = 0;
  std::int64_t begin_ns = 0, duration_ns = 0;  // of the stretch, in the run
};

// As torch.profiler writes it.
std::string event_name(const TorchEvent& event, const Run& run);

// Autograd's sequence number and forward thread, from a link; -1 and 0 where there are none.
inline std::int64_t sequence_number(std::uint64_t link) { return static_cast<std::int64_t>(link & 0xFFFF'FFFFu) - 1; }
inline std::uint32_t forward_thread(std::uint64_t link) { return static_cast<std::uint32_t>(link >> 32 & 0xFF); }

// The node that computes a gradient, not the engine's call around it.
bool is_backward_node(const TorchEvent& event, const Run& run);

// Whether events get their lines (attribution.h), which takes as long as all the rest.
enum class Places : bool { no, yes };

// An error when no span has the link.
Result<TorchEvents> torch_events(const Run& run, std::uint64_t stretch, Places places, TorchNotes notes = {});

}  // namespace laptime
