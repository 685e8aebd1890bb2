// Calls of single ops from Python in a session of the framework's own profiler: when, and from
// where. The profile shows such ops by their type only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace laptime {

struct OpOrigin {
  std::uint32_t call_site = 0;  // 0: unknown
  bool is_backward = false;
};

struct OpCall {
  std::uint64_t begin, end;  // ticks
  std::uint32_t thread;      // its kernel id
  OpOrigin origin;
};

// Calls, by thread and time. Assumption: calls of one thread are disjoint or nested.
class SortedOpCalls {
 public:
  SortedOpCalls() = default;
  explicit SortedOpCalls(std::vector<OpCall> calls);

  // The innermost call that runs on the thread at that time. Null: none.
  const OpCall* find(std::uint64_t thread, std::uint64_t moment) const;

 private:
  std::vector<OpCall> calls_;
};

// Contract: one thread at a time (Python's GIL).
class OpCalls {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 19;  // 16 MiB

  // Beyond kMost calls are dropped and counted in the warning `op_calls_full`.
  void add(const OpCall& call);
  // Returns the calls since the last time, and forgets them.
  SortedOpCalls take();

 private:
  std::vector<OpCall> calls_;
};

}  // namespace laptime
