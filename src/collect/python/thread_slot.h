// The engines' data for one thread: its two shadow stacks, and its counters as dense arrays by
// record id.
//
// Assumption: all access holds the GIL. Consequence: one thread may settle and read the slots of
// all others. A slot stays when its thread ends, so its counts stay separate. Beyond kThreadsApart
// ended threads, new threads reuse old slots and share their counters. So programs that start
// threads without end stay bounded.
#pragma once

#include <Python.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collect/python/functions/call_stack.h"
#include "collect/python/lines/line_stack.h"
#include "collect/python/pointer_table.h"

namespace laptime::python {

inline constexpr std::size_t kThreadsApart = 64;

// After each interval of events the budget is checked. In between, only the countdown counts
// events.
struct EventMeter {
  std::int32_t left = 0;
  std::int32_t interval = 0;
  std::uint64_t counted = 0;  // events of finished intervals

  bool due() { return --left <= 0; }
  std::uint64_t total() const { return counted + static_cast<std::uint64_t>(interval - left); }
  // Returns the length of the interval that ended. Intervals vary, so that no loop stays in step
  // with them.
  std::int32_t restart(std::uint64_t now) {
    const std::int32_t ended = interval - left;
    counted += static_cast<std::uint64_t>(ended);
    interval = left = 769 + static_cast<std::int32_t>(now >> 3 & 511);
    return ended;
  }
};

// The latest generator that was closed on a thread. The time of closing it also belongs to the
// `yield from` that waited for it. The generator of that `yield from` is closed next, from the same
// line of the same frame.
struct Closing {
  std::size_t depth = 0;     // of the shadow stack below it
  std::uint64_t opened = 0;  // when the closing line began
  std::uint64_t child = 0;   // its time in traced callees when the first of them was closed
};

class SharedTrace;

struct ThreadSlot {
  LineStack lines;
  Closing closing;
  std::uint32_t line_epoch = 0;         // the start of the line engine that `lines` is in step with
  std::size_t late_depth = 0;           // frames at the bottom of `lines` that ran before the start
  SharedTrace* shared_trace = nullptr;  // the innermost; CPython 3.10 and 3.11
  EventMeter line_meter;
  CallStack calls;
  EventMeter call_meter;
  bool inside_engine = false;  // engine code that runs Python must not measure itself
  PointerTable<LineCounter> line_tables;
  PointerTable<FunctionCounter> functions;
  unsigned long ident = 0;      // Python's
  std::uint64_t os_thread = 0;  // the kernel's; 0: not known yet
  std::string name;
  std::atomic<bool> ended{false};

  LineCounter* lines_of(const CodeRecord* record) {
    LineCounter* lines = line_tables.get(record->id);
    return lines != nullptr ? lines : add_lines(record);
  }
  FunctionCounter* function_of(const Callable* callable) {
    FunctionCounter* counter = functions.get(callable->id);
    return counter != nullptr ? counter : add_function(callable);
  }
  // Sets the statements of the record's lines, if this thread already counts them.
  void apply_statements(const CodeRecord* record);

 private:
  LineCounter* add_lines(const CodeRecord* record);
  FunctionCounter* add_function(const Callable* callable);
};

class ThreadSlots {
 public:
  static ThreadSlots& instance();  // never destroyed: threads may end after everything else

  static ThreadSlot* current() {
    ThreadSlot* slot = current_;
    return slot != nullptr ? slot : instance().bind();
  }
  static ThreadSlot* current_if_any() { return current_; }
  // The slot of a thread, by its Python ident. The thread may not have run since.
  ThreadSlot* of_thread(unsigned long ident);

  // Looks up the name that the program gave the thread. Too early before the thread has run its own
  // code.
  static void name(ThreadSlot* slot);

  const std::vector<std::unique_ptr<ThreadSlot>>& all() const { return slots_; }
  // In a forked child only the calling thread is alive: the stacks of the others have nothing open.
  void after_fork();

 private:
  ThreadSlot* find(unsigned long ident) const;
  ThreadSlot* bind();
  ThreadSlot* free_slot();

  static inline __thread ThreadSlot* current_ __attribute__((tls_model("initial-exec"))) = nullptr;
  std::vector<std::unique_ptr<ThreadSlot>> slots_;
};

}  // namespace laptime::python
