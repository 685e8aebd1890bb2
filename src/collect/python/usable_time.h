// How long the calling thread could have run: time that passed, without waits for a processor that
// other programs used.
//
// A budget is a share of this time. Of wall time, a busy machine would let events cost more than
// the share: the program stands still, the budget fills, and none of the waiting is the program's
// own.
#pragma once

#include <cstdint>

namespace laptime::python {

// `elapsed` ticks without what the calling thread waited for a processor. Short times are returned
// as they are. A time in which the thread also waited for something else (a lock, a disk, a GPU)
// counts whole. At most two system calls.
std::uint64_t usable_ticks(std::uint64_t elapsed, double ticks_per_second);

}  // namespace laptime::python
