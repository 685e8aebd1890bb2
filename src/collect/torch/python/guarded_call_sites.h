// Records the conditions of a call site (call_site_guards.h), if the user's own frame called the
// op.
//
// Assumption: a frame has no number, and its address is soon reused. But since 3.11, frames of
// plain functions are adjacent on their thread's stack. So a frame at the same address with the
// same caller is in the same chain, unless sizes coincide. Consequence: if no module was found, two
// frames are guarded, and Python is queried again after some ops. So a coincidence spoils few ops,
// and only their module names. A module is guarded as far out as it was found, because layers of
// one class differ in nothing else.
#pragma once

#include <atomic>

#include "collect/python/interpreter/own_frames.h"
#include "collect/torch/call_site_guards.h"

namespace laptime::torch {

#if PY_VERSION_HEX >= 0x030B0000
class GuardedCallSites {
 public:
  // `generation`: of all remembered entries. `state`: the calling thread's, which stays alive.
  GuardedCallSites(CallSiteGuards& guards, const std::atomic<std::uint64_t>& generation,
                   const PyThreadState* state)
      : guards_(guards), generation_(generation), state_(state) {}

  // `call_site`: the op's. `frame`: the innermost frame, whose code is the user's. `module_frame`:
  // the frame outside of it that calls a module, null for none.
  void keep(std::uint32_t call_site, python::FrameRef frame, python::FrameRef module_frame) {
    if (guards_.uses == 0 || guards_.instruction != python::instruction_address(frame) ||
        !guards_.hold())
      renew(frame, module_frame);
    const std::uint64_t running = CallSiteGuards::word_at(python::instruction_address(frame));
    guards_.slot(running) = {running, call_site};
  }

 private:
  static constexpr std::uint32_t kUses = 256;
  static constexpr int kNear = 1;

  void add(const void* address) {
    if (!guards_.add(address)) too_many_ = true;
  }

  void renew(python::FrameRef frame, python::FrameRef module_frame) {
    guards_.clear();
    add(&generation_);
    python::visit_way_to_innermost(state_, [&](const void* address) { add(address); });
    add(python::code_address(frame));
    python::visit_identity(python::frame_code(frame), [&](const void* address) { add(address); });
    bool on_stack = python::is_on_thread_stack(frame);
    python::FrameRef at = frame;
    for (int callers = 0;
         at != nullptr &&
         (module_frame != nullptr ? at != module_frame : !on_stack || callers < kNear) &&
         !too_many_;
         ++callers) {
      add(python::outer_address(at));
      at = python::outer_frame(at);
      if (at == nullptr) break;
      on_stack = on_stack && python::is_on_thread_stack(at);
      add(python::code_address(at));
    }
    if (module_frame != nullptr) add(python::first_argument_address(at));
    guards_.uses = too_many_ ? 0 : kUses;
    guards_.instruction = python::instruction_address(frame);
    for (CallSiteGuards::Known& known : guards_.known) known = {};
  }

  CallSiteGuards& guards_;
  const std::atomic<std::uint64_t>& generation_;
  const PyThreadState* state_;
  bool too_many_ = false;
};
#else
// Before 3.11 each frame is an object of its own: nothing is kept.
class GuardedCallSites {
 public:
  GuardedCallSites(CallSiteGuards&, const std::atomic<std::uint64_t>&, const PyThreadState*) {}
  void keep(std::uint32_t, python::FrameRef, python::FrameRef) {}
};
#endif

}  // namespace laptime::torch
