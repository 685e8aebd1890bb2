// NVTX ranges become scopes of the thread that pushed them; ranges that are started and ended, on any thread, become scopes of a
// track of their own; a mark is a scope without length.
//
// Contract: nothing throws; in a push or a pop nothing locks or allocates once a thread has seen the name.
#pragma once

#include <cstdint>
#include <string_view>

namespace laptime::nvtx {

// Names are record::intern'ed. A domain is a number: pushes and pops of two domains do not meet. 0: the one without a name.
int push(std::uint64_t domain, std::uint32_t name);
int pop(std::uint64_t domain);
void mark(std::uint32_t name);
std::uint64_t start(std::uint32_t name);
void end(std::uint64_t range);

// record::intern, remembered by the calling thread.
std::uint32_t name_of(std::string_view text);

}  // namespace laptime::nvtx
