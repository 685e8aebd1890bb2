// Keeps a program alive when a page of its part is lost: the file was truncated, or its disk is
// gone. A store into such a page raises SIGBUS, which would end the program.
//
// Contract: one part at a time. A SIGBUS elsewhere reaches the handler that was there before, or
// ends the program as without us. A handler that the program installs later replaces this one: then
// a lost page ends the program.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace laptime::record {

// From now on memory of the process replaces a mapping that lost a page, and `on_warning` is set to
// `error`. A warning in the first page, the header, replaces all of the mapping, a later one all
// but the header.
void watch_pages(void* mapping, std::size_t size, std::atomic<int>* on_warning, int error);
// Contract: no lock, for a forked child.
void stop_watching_pages();

}  // namespace laptime::record
