// The records that collectors pass to the recorder.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "format/facts.h"
#include "format/names.h"
#include "format/record.h"

namespace laptime::record {

struct Arg {
  ArgKey key;
  ArgType type;
  std::uint64_t value;
};

struct Span {
  std::uint64_t start, end;  // ticks
  std::uint32_t name;
  SpanKind kind = SpanKind::scope;
  std::uint16_t track = 0;  // 0: the calling thread
  std::uint64_t link = 0;
};

struct Op {
  std::uint64_t start, end;  // ticks
  std::uint64_t link;        // OpLink::pack
  std::uint32_t name;
  SpanKind kind;
  std::uint16_t args = 0;  // add_args
};

// A call that gave work to a GPU, on the calling thread.
struct Launch {
  std::uint64_t start, end;  // ticks
  std::uint64_t origin;      // OpLink::pack: call site and autograd node, see LaunchNode
  std::uint32_t name;
  std::uint32_t correlation;  // CUPTI's number
  std::uint16_t generation;
  bool backward;
};

struct Tally {
  TallyKind kind;
  std::uint32_t code;   // add_code
  std::uint32_t where;  // line; calls: 0; edges: the caller's code
  std::uint32_t step;
  std::uint64_t hits, inclusive_ticks, exclusive_ticks;
  std::uint64_t extra_hits,
      extra_ticks;          // calls and edges: primitive calls, unused; lines: unused, unused
  std::uint32_t track = 0;  // track_of_thread; 0: the calling thread's
};

struct StepMark {
  std::uint64_t samples = 0;  // 0: unknown
  std::uint32_t phase = 0;    // interned: "train", "validation"; 0: "step"
  // Whether all its ops were recorded, if a source records ops in some steps only.
  enum class Ops : std::uint8_t { unknown, resting, recorded } ops = Ops::unknown;
  std::uint64_t end =
      0;  // ticks: when it ended; 0: now; a moment outside the step is replaced by now
};

// Called on the marking thread right after a step mark, with the number of the step that ended, and
// when a step begins. The engines that tally write their deltas then. An observer is permanent.
// There are at most kMaxObservers of each kind.
using StepObserver = void (*)(std::uint32_t step) noexcept;

// Called when recording stops, before the last slots are encoded, while records are still taken.
using StopObserver = void (*)() noexcept;

}  // namespace laptime::record
