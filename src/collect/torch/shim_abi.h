// What laptime's module and the small library that is compiled against the installed torch (the shim) say to each other.
//
// Assumption: both sides come from the same laptime: the shim is built from sources that lie in the package, and its file
// name holds their hash. Consequence: no field is ever optional. `version` still guards against a stray file.
// This header stands alone: it is also installed beside the shim's sources.
#pragma once

#include <cstdint>

extern "C" {

enum { LAPTIME_SHIM_VERSION = 1 };

// One op's inputs as a row of words: for each input a head, then its numbers.
//   head: bits 0-7 LaptimeInput, 8-15 torch's ScalarType (tensors), 16-63 how many numbers or, for tensor lists, tensors follow
enum LaptimeInput {
  LAPTIME_INPUT_OTHER = 0,        // nothing is known of it; no numbers
  LAPTIME_INPUT_TENSOR = 1,       // its sizes
  LAPTIME_INPUT_TENSOR_LIST = 2,  // a head and sizes for each tensor
  LAPTIME_INPUT_INTEGERS = 3,     // an int[]
  LAPTIME_INPUT_INTEGER = 4,
  LAPTIME_INPUT_SCALAR = 5,       // a float, bool or complex; no numbers
  LAPTIME_INPUT_SCALARS = 6,      // a list of such; no numbers
};

struct LaptimeOp {
  const void* function;  // torch's object: the same at begin and end
  const char* name;      // valid during the call only
  std::int64_t sequence;
  std::uint64_t thread;  // torch's number of the thread that ran forward
  std::uint32_t scope;   // at::RecordScope
};

struct LaptimeOpHost {
  std::uint32_t version;
  // HOT. Registers only: what LaptimeOp holds.
  void (*begin)(const void* function, const char* name, std::int64_t sequence, std::uint64_t thread, std::uint32_t scope);
  void (*begin_with_inputs)(const LaptimeOp* op, const std::int64_t* words, std::uint32_t count);
  void (*end)(const void* function);
};

struct LaptimeOpShim {
  std::uint32_t version;
  // The callback that is not running costs nothing; switching takes microseconds. 0, or -1 when torch threw.
  int (*on)(int with_inputs);
  int (*off)();
  // What torch says on the calling thread now.
  std::int64_t (*peek_sequence)();
  std::uint64_t (*thread_number)();
};

// What a shim exports under the name "laptime_torch_ops".
typedef const LaptimeOpShim* (*LaptimeOpenOps)(const LaptimeOpHost* host);

}
