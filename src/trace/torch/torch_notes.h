// What a profile session knows of its ops beside the records of a run: torch's numbers, texts, ops
// that had not ended.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/run/run.h"
#include "trace/torch/torch_event.h"

namespace laptime {

struct TorchNote {
  std::uint64_t thread;       // its number in the system
  std::int64_t start_ns;      // of the op, since the session's begin
  std::uint64_t id;           // torch's number of the op; 0: none
  std::uint32_t details = 0;  // string id: members of a JSON object without its braces
};

// On the thread that ended the session.
struct UnendedOp {
  std::int64_t start_ns;  // since the session's begin
  std::uint32_t name;     // string id
  SpanKind kind;
};

struct TorchNotes {
  std::int64_t duration_ns = 0;  // of the session, by the clock of the notes
  std::vector<TorchNote> notes;
  std::vector<UnendedOp> unended;  // the outermost first
};

// `duration_ns`: the session's in the run. Assumption: the two clocks drift apart by less, from one
// op of a thread to its next, than half of what lies between their starts. `events`: by start.
void add_notes(const Run& run, TorchNotes notes, std::int64_t duration_ns,
               std::vector<TorchEvent>& events);

}  // namespace laptime
