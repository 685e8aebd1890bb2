// What laptime's module and the shim say to each other about what only a torch.profiler-like API
// needs of ops. What shim_abi.h says of versions holds here too. This header stands alone: it is
// also installed beside the shim's sources.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

enum { LAPTIME_DETAILS_VERSION = 1 };

// Bits of what is noted at the begin of each op.
enum { LAPTIME_DETAIL_IDS = 1, LAPTIME_DETAIL_MODULES = 2, LAPTIME_DETAIL_INPUTS = 4 };

struct LaptimeOpDetail {
  std::uint64_t thread;  // its kernel id
  std::uint64_t start;   // ticks: the start of the op's record
  std::uint64_t id;      // torch's number of the op; 0: it has none
  const char* text;      // members of a JSON object without its braces, or empty
  std::size_t length;
};

struct LaptimeDetailsShim {
  std::uint32_t version;
  // Torch reports the calling thread, and those that it gives work to, as profiled, `inputs`
  // included. Calls nest; the outermost decides. 0, or -1: torch refused.
  int (*enter)(int inputs);
  // Contract: on the thread that entered; does nothing on others.
  void (*leave)();
  // Whether another observer makes torch number its ops.
  int (*needs_ids)();
  // Contract: after the op recorder is on. `what`: bits of LAPTIME_DETAIL_*. 0, or -1: torch
  // refused.
  int (*on)(unsigned what);
  // Hands out what was noted since on(), in the order of each thread's ops.
  void (*off)(void* receiver, void (*receive)(void* receiver, const LaptimeOpDetail* detail));
};

// What a shim exports under the name "laptime_torch_details".
typedef const LaptimeDetailsShim* (*LaptimeOpenDetails)();
}
