// The engines' data about one code object, found from it in two loads.
//
// Assumption: all access holds the GIL. A record outlives its code object: counters stay after the
// code is freed. A later code object with the same identity (file, line, name, content) gets the
// record. Consequence: a reused address never inherits another function's counts. Programs that
// make the same code over and over (exec, factories) do not grow the table. Contract: records are
// never freed.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <vector>

namespace laptime::python {

// How much a code object's line events may cost. The budget only ever moves down this list.
enum class Level : std::uint8_t {
  lines = 0,   // every line
  calls = 1,   // entry and exit: the whole function is one row
  counts = 2,  // entries only; its time counts for its caller
  off = 3,     // nothing any more; earlier counts stay
};

// Anything that can be called: a code object or a C function. Ids are dense, so counters are
// arrays.
struct Callable {
  std::uint32_t id = 0;
  std::int32_t first_line = 0;
  std::string file;
  std::string name;       // co_name, or cProfile's text for a C function
  std::string qualified;  // co_qualname where the interpreter has it
};

struct CodeRecord : Callable {
  PyObject* code = nullptr;  // borrowed; null after the code object is freed
  Py_hash_t content = 0;
  // Lines have slots: kEntrySlot, kWholeSlot, then one for each source line from the first on.
  std::int32_t base_line = 0;    // slot = line - base_line
  std::uint32_t slot_count = 0;  // 0: no line information, never timed by line
  Level level = Level::lines;
  Level function_level = Level::calls;
  std::uint32_t verdict_generation = 0;  // the classification that `user` comes from
  bool user = false;
  bool shared_library_mark = false;  // a mark for all library code: says only "library"
  std::uint32_t sessions =
      0;  // line profilers that added it: watched at every start, never demoted
  std::uint32_t armed_epoch = 0;     // the start of the line engine whose events are set
  std::uint64_t sampled_events = 0;  // from the budget's sampling
  std::vector<std::uint16_t>
      event_costs;  // by slot, in usual line events (line_event_cost.h); empty: 1 each
  bool has_costly_lines = false;  // whether event_costs has values other than 1
  // by slot: slot of its statement's first line, with StatementFlags; empty: each line is its own
  std::vector<std::uint32_t> statements;
  std::vector<bool>
      beginnings;  // by instruction: whether a statement over several lines begins there
  std::vector<std::uint32_t> slot_of_instruction;  // made when a generator is first resumed
};

// Stored beside the slot of a statement's first line, for all lines of a statement that has
// several.
enum StatementFlags : std::uint32_t {
  kLongStatement = 1u << 31,
  // the body of a loop begins on its header's line: each return to that line is an iteration
  kOneLineLoop = 1u << 30,
  kMayBegin = 1u << 29,  // some instruction of this line begins the statement
  kStatementSlot = kMayBegin - 1,
};

inline constexpr std::uint32_t kEntrySlot = 0;  // between the call and the first line
inline constexpr std::uint32_t kWholeSlot =
    1;  // the function as a whole, while it is not timed by line
inline constexpr std::uint32_t kFirstLineSlot = 2;

}  // namespace laptime::python
