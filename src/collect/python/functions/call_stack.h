// The shadow stack of the function engine, with cProfile's arithmetic. One per thread.
//
// Contract: counts, own and cumulative times of functions and of caller-callee pairs equal those of
// cProfile for the same events. An open call counts when it ends or when stop unwinds it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "collect/python/code/code_record.h"
#include "collect/python/pointer_table.h"

namespace laptime::python {

struct CallCounter {
  std::uint64_t calls = 0;
  std::uint64_t recursive_calls = 0;
  std::uint64_t own = 0;         // ticks
  std::uint64_t cumulative = 0;  // ticks, outermost calls only
  std::uint32_t depth = 0;

  void leave(std::uint64_t own_time, std::uint64_t total) {
    ++calls;
    own += own_time;
    if (--depth == 0) {
      cumulative += total;
    } else {
      ++recursive_calls;
    }
  }
};

struct FunctionCounter;

struct CallEdge : CallCounter {
  FunctionCounter* caller;
  FunctionCounter* callee;
};

struct FunctionCounter : CallCounter {
  const Callable* callable;
  CallEdge* latest_edge =
      nullptr;  // from the caller of the latest call: most calls have the same caller again
};

// (caller, callee) -> edge; open addressing, never shrinks.
class EdgeTable {
 public:
  CallEdge* find_or_add(FunctionCounter* caller, FunctionCounter* callee);
  const std::vector<std::unique_ptr<CallEdge>>& edges() const { return edges_; }

 private:
  static std::size_t hash(const FunctionCounter* caller, const FunctionCounter* callee);
  void grow();

  std::vector<CallEdge*> table_;
  std::vector<std::unique_ptr<CallEdge>> edges_;
};

struct OpenCall;

// The calls of one thread during an interval, as if a separate profiler had been switched on for
// it. Only calls that begin while it is open are counted, with its own counts and recursion. Layers
// may nest, and may open again later.
class CallLayer {
 public:
  const std::vector<std::unique_ptr<FunctionCounter>>& functions() const { return functions_; }
  const EdgeTable& edges() const { return edges_; }

 private:
  friend class CallStack;
  void enter(std::size_t depth, const OpenCall* call);
  void leave(std::size_t depth, const OpenCall* call, std::uint64_t own, std::uint64_t total);
  void settle(std::size_t depth, const OpenCall* call, std::uint64_t own, std::uint64_t total);
  FunctionCounter* function_of(const Callable* callable);
  CallEdge* edge_to(std::size_t depth, const OpenCall* call, FunctionCounter* function);

  std::size_t base_ = 0;  // calls that were already open when the layer was opened
  PointerTable<FunctionCounter> by_id_;
  std::vector<std::unique_ptr<FunctionCounter>> functions_;
  EdgeTable edges_;
};

struct OpenCall {
  const void* key;  // the code object or PyMethodDef of the call
  FunctionCounter* function;
  CallEdge* edge;  // null if code that was already running made the call
  std::uint64_t started;
  std::uint64_t inner;  // time in callees
  bool outermost, outermost_on_edge;
};

class CallStack {
 public:
  CallStack() { reserve(64); }

  // The clock is read last: the engine's own work counts for the caller, as with cProfile.
  void enter(const void* key, FunctionCounter* function) {
    if (top_ == last_) [[unlikely]]
      reserve(2 * capacity_);
    FunctionCounter* caller = top_->function;
    OpenCall* call = ++top_;
    call->key = key;
    call->function = function;
    call->inner = 0;
    call->outermost = function->depth++ == 0;
    CallEdge* edge = nullptr;
    if (caller != nullptr) {
      edge = function->latest_edge;
      if (edge == nullptr || edge->caller != caller) [[unlikely]]
        edge = switch_edge(caller, function);
      call->outermost_on_edge = edge->depth++ == 0;
    }
    call->edge = edge;
    if (!layers_.empty()) [[unlikely]]
      enter_layers();
    call->started = ticks();
  }

  // Ignores an exit whose entry was not seen: a frame that was running at start.
  void leave(const void* key, std::uint64_t now) {
    if (top_->key != key) [[unlikely]] {
      if (!unwind_to(key, now)) return;
    }
    leave_top(now);
  }

  // How often an exit did not match the latest entry: frames were switched without an event, as
  // greenlets do.
  std::uint64_t slips() const { return slips_; }
  bool on_top(const void* key) const { return top_->key == key; }
  bool empty() const { return top_ == calls_.get(); }
  void leave_all(std::uint64_t now) {
    while (!empty()) leave_top(now);
  }
  // Adds the time of open calls until now. Their counts are added when they end.
  void settle(std::uint64_t now);
  // Drops the open calls of `key` without counting them again. Their callees' time is added to
  // their callers.
  void forget(const void* key, std::uint64_t now);

  const EdgeTable& edges() const { return edges_; }

  void open_layer(CallLayer& layer);
  // Open calls count until now. Does nothing if the layer is not open.
  void close_layer(CallLayer& layer, std::uint64_t now);

 private:
  void leave_top(std::uint64_t now) {
    OpenCall* call = top_;
    const std::uint64_t total = now - call->started;
    const std::uint64_t own = total - call->inner;
    top_ = call - 1;
    top_->inner += total;
    call->function->leave(own, total);
    if (call->edge != nullptr) call->edge->leave(own, total);
    if (!layers_.empty()) [[unlikely]]
      leave_layers(call, own, total);
  }
  void enter_layers();
  void leave_layers(const OpenCall* call, std::uint64_t own, std::uint64_t total);
  CallEdge* switch_edge(FunctionCounter* caller, FunctionCounter* function);
  bool unwind_to(const void* key, std::uint64_t now);
  void reserve(std::size_t calls);

  std::unique_ptr<OpenCall[]>
      calls_;  // calls_[0] is a placeholder: the caller of calls from code already running
  OpenCall* top_ = nullptr;
  OpenCall* last_ = nullptr;
  std::size_t capacity_ = 0;
  std::uint64_t slips_ = 0;
  EdgeTable edges_;
  std::vector<CallLayer*> layers_;  // those that are open
};

}  // namespace laptime::python
