// Keeps a program alive when a page of its part is lost: the file was truncated, or its disk is
// gone. A store into such a page raises SIGBUS, which would end the program.
//
// Contract: one part at a time. A SIGBUS elsewhere reaches the earlier handler, or ends the program
// as it would without laptime. A handler that the program installs later replaces this one. Then a
// lost page ends the program.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace laptime::record {

// From now on anonymous memory replaces a mapping that lost a page, and `on_lost_page` is set to
// `error`. If the first page (the header) is lost, the whole mapping is replaced. If a later page
// is lost, everything but the header is replaced.
void watch_pages(void* mapping, std::size_t size, std::atomic<int>* on_lost_page, int error);
// Contract: takes no lock, for a forked child.
void stop_watching_pages();

}  // namespace laptime::record
