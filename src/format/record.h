// The raw record: what a thread stores on the program's hot path, before any encoding.
//
//   byte 0        8        16       24    28    30   31   32
//        | start  |  end   |  link  |name |track|kind|type|
//
// Assumption: one thread writes a slot, in order, and publishes with one release of SlotHeader::used. Consequence: what
// is below `used` is complete, whatever killed the process. A record of several units (a span with arguments, a tally)
// never straddles two slots.
#pragma once

#include <cstdint>

namespace laptime {

enum class UnitType : std::uint8_t {
  none = 0,
  span = 1,        // start, end: ticks; link: shared by spans that belong together, 0 none
  value = 2,       // start: ticks; end: the bits of a double
  link = 3,        // start, end: the two link ids; link: ticks; kind: LinkKind
  arg = 4,         // belongs to the span before it; name: key; end: payload; kind: ArgType
  tally = 5,       // start: hits; end: inclusive ticks; link: exclusive ticks; name: code; kind: TallyKind
  tally_more = 6,  // second half: start: step; end: extra count; link: extra ticks; name: line or caller
};

// What a span is. Stable numbers: they are in files.
enum class SpanKind : std::uint8_t {
  scope = 0,      // named by the user
  step = 1,       // one lap
  function = 2,
  op = 3,
  backward = 4,
  kernel = 5,
  copy = 6,
  fill = 7,
  sync = 8,
  launch = 9,
  loader = 10,    // waiting for input
  compile = 11,
  gc = 12,
  optimizer = 13,
  communication = 14,
};

enum class ArgType : std::uint8_t { integer = 0, real = 1, string = 2 };
enum class LinkKind : std::uint8_t { causes = 0, backward_of = 1, message = 2, child_process = 3 };
// line: `where` is a line of the code. call: the function's own totals, `where` is 0. edge: what it took when called from the
// code `where`; under recursion edges do not add up to the function, which is why both are kept (as in pstats).
enum class TallyKind : std::uint8_t { line = 0, call = 1, edge = 2 };

struct RawUnit {
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t link;
  std::uint32_t name;
  std::uint16_t track;  // 0: the slot's own track; else a foreign track of this process (a GPU stream, a counter)
  std::uint8_t kind;
  UnitType type;
};
static_assert(sizeof(RawUnit) == 32);

}  // namespace laptime
