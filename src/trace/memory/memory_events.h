// A process's memory records of all threads, in order of time.
//
// Assumption: a release is recorded before the memory is released, an allocation after it was made,
// all on one clock. Consequence: in this order an address is free before it is allocated again, on
// any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trace/run/run.h"

namespace laptime {

struct MemoryEvent {
  std::int64_t time_ns;
  std::uint64_t address;
  std::uint64_t bytes;  // of a release: as recorded, 0 if unknown
  std::uint32_t name;   // the device, or the role
  std::uint32_t track, row;
  SpanKind kind;
  std::uint32_t device_of_role = 0;  // string id, 0 for the CPU
};

// The instants of one track in the order of time.
class MemoryInstants {
 public:
  MemoryInstants(const Run& run, std::uint32_t track);

  // True at the end: next() would return nothing.
  bool at_end() const { return next_ >= size_; }
  std::int64_t next_time() const { return spans_->start[row_at(next_)]; }
  MemoryEvent take();

 private:
  std::uint32_t row_at(std::size_t i) const {
    return order_.empty() ? static_cast<std::uint32_t>(i) : order_[i];
  }
  void skip_others();

  const Spans* spans_;
  std::uint32_t track_;
  std::vector<std::uint32_t> order_;
  std::size_t next_ = 0, size_;
  SideColumn<std::uint64_t>::Cursor bytes_;
  SideColumn<std::uint32_t>::Cursor devices_;
};

// Calls visit(const MemoryEvent&) for each event. Instants without an address are skipped.
template <typename Visit>
void for_each_memory_event(const Run& run, std::uint32_t process, Visit visit) {
  std::vector<MemoryInstants> tracks;
  for (std::uint32_t t = 0; t < run.tracks.size(); ++t) {
    if (run.tracks[t].process != process) continue;
    MemoryInstants instants(run, t);
    if (!instants.at_end()) tracks.push_back(std::move(instants));
  }
  while (!tracks.empty()) {
    std::size_t first = 0;
    std::int64_t until = INT64_MAX;  // when another track has its next event
    for (std::size_t i = 1; i < tracks.size(); ++i) {
      const bool earlier = tracks[i].next_time() < tracks[first].next_time();
      until = std::min(until, tracks[earlier ? first : i].next_time());
      if (earlier) first = i;
    }
    MemoryInstants& instants = tracks[first];
    do {
      if (const MemoryEvent event = instants.take(); event.address != 0) visit(event);
    } while (!instants.at_end() && instants.next_time() <= until);
    if (instants.at_end()) tracks.erase(tracks.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

}  // namespace laptime
