// NVTX ranges become scopes of the thread that pushed them. Ranges that are started and ended, on
// any thread, become scopes of a track of their own. A mark is a scope without length.
//
// Contract: nothing throws. A push or a pop neither locks nor allocates once its thread knows the
// name.
#pragma once

#include <cstdint>
#include <string_view>

#include "collect/cuda/nvtx/nvtx_role.h"

namespace laptime::nvtx {

struct RangeName {
  std::uint32_t id;  // record::intern
  Role role;
};
// Cached by the calling thread.
RangeName name_of(std::string_view text);

// A domain is a number: pushes and pops of two domains do not match. 0: the domain without a name.
int push(std::uint64_t domain, RangeName name);
int pop(std::uint64_t domain);
void mark(RangeName name);
std::uint64_t start(RangeName name);
void end(std::uint64_t range);

// The name of the calling thread's innermost open range with that role. 0: none.
std::uint32_t innermost(Role role);

}  // namespace laptime::nvtx
