// Facts that a profile session adds to the recorded ops: torch's numbers, texts, and ops that had
// not ended.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/run/run.h"
#include "trace/torch/torch_event.h"

namespace laptime {

struct TorchNote {
  std::uint64_t thread;       // the system's thread id
  std::int64_t start_ns;      // of the op, since the session's begin
  std::uint64_t id;           // torch's number of the op; 0: none
  std::uint32_t details = 0;  // string id: members of a JSON object without its braces
};

// An op that had not ended, on the thread that ended the session.
struct UnendedOp {
  std::int64_t start_ns;  // since the session's begin
  std::uint32_t name;     // string id
  SpanKind kind;
};

struct TorchNotes {
  std::int64_t duration_ns = 0;  // of the session, on the notes' clock
  std::vector<TorchNote> notes;
  std::vector<UnendedOp> unended;  // the outermost first
};

// `duration_ns`: the session's in the run. `events`: by start. Assumption: between two ops of a
// thread, the clocks drift apart by less than half of the time between the ops' starts.
void add_notes(const Run& run, TorchNotes notes, std::int64_t duration_ns,
               std::vector<TorchEvent>& events);

}  // namespace laptime
