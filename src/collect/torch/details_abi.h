// The interface between laptime's module and the shim for op details that only a
// torch.profiler-like API needs. The rules for versions in shim_abi.h hold here too. This header
// includes nothing of laptime: it is also installed beside the shim's sources.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

enum { LAPTIME_DETAILS_VERSION = 1 };

// What is noted at the begin of each op, as bits.
enum { LAPTIME_DETAIL_IDS = 1, LAPTIME_DETAIL_MODULES = 2, LAPTIME_DETAIL_INPUTS = 4 };

struct LaptimeOpDetail {
  std::uint64_t thread;  // its kernel id
  std::uint64_t start;   // ticks: the start of the op's record
  std::uint64_t id;      // torch's number of the op; 0: none
  const char* text;      // members of a JSON object without its braces, or empty
  std::size_t length;
};

struct LaptimeDetailsShim {
  std::uint32_t version;
  // Torch reports the calling thread as profiled, and the threads that it gives work to, including
  // `inputs`. Calls nest; the outermost decides. Returns 0, or -1 if torch refused.
  int (*enter)(int inputs);
  // Contract: called on the thread that entered. Does nothing on others.
  void (*leave)();
  // Whether another observer requests numbers of ops from torch.
  int (*needs_ids)();
  // Contract: the op recorder is on. `what`: bits of LAPTIME_DETAIL_*. Returns 0, or -1 if torch
  // refused.
  int (*on)(unsigned what);
  // Passes everything noted since on() to `receive`, in the order of each thread's ops.
  void (*off)(void* receiver, void (*receive)(void* receiver, const LaptimeOpDetail* detail));
};

// What a shim exports under the name "laptime_torch_details".
typedef const LaptimeDetailsShim* (*LaptimeOpenDetails)();
}
