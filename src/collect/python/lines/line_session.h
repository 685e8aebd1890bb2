// The counts of one line profiler object: lines of its functions, while it is enabled, on the
// threads where it is enabled.
//
// Assumption: all access holds the GIL; the line engine runs while a session is enabled.
// Consequence: the engine counts for all sessions, and a session takes the difference between
// leaving and entering. So sessions disturb neither each other nor a recording. Contract: entering
// and leaving cost one pass over the session's lines, and nothing when nested.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <map>
#include <vector>

#include "collect/python/lines/line_engine.h"

namespace laptime::python {

class LineSession {
 public:
  LineSession() = default;
  LineSession(const LineSession&) = delete;
  LineSession& operator=(const LineSession&) = delete;
  ~LineSession();

  // Adds code that is watched from now on, at every start of the engine, and timed by line whatever
  // the budget says.
  void add(nanobind::object code);
  // Counted, for the calling thread.
  void enter();
  void leave();
  // Not counted: switch on and off, whatever the count is.
  void enable();
  void disable();
  int depth();
  // Counted, on all threads, until the calling thread has left as often as it entered.
  void enable_everywhere();
  // [(line, hits, ns), …] of the code with this index, including lines that still run.
  nanobind::list rows(std::size_t index) const;

 private:
  struct Counts {
    std::uint64_t hits = 0, ticks = 0;
  };
  struct Watched {
    nanobind::object code;
    CodeRecord* record;
    std::size_t offset;  // of its first line slot in a table of all watched lines
  };
  struct Enabled {
    int depth = 0;
    bool on = false;
    bool everywhere = false;  // enabled for all threads
    std::vector<Counts> base;
  };

  void add_since(const ThreadSlot* slot, const std::vector<Counts>& base,
                 std::vector<Counts>& sums) const;
  void disable_everywhere();
  bool counts_on(const Enabled& enabled) const { return everywhere_ > 0 || enabled.on; }
  std::vector<Counts> read(const ThreadSlot* slot) const;
  static void settle(ThreadSlot* slot);

  std::vector<Watched> watched_;
  std::vector<Counts> totals_;
  std::map<ThreadSlot*, Enabled> threads_;
  int everywhere_ = 0;  // threads that enabled it for all threads
};

void bind_line_session(nanobind::module_& module);

}  // namespace laptime::python
