#include "collect/python/interpreter/frame_access.h"

#if PY_VERSION_HEX < 0x030C0000

#include "collect/python/interpreter/shared_trace.h"
#include "collect/python/thread_slot.h"

namespace laptime::python {

bool SharedTrace::active(const PyThreadState* thread) { return thread->c_tracefunc == trace_both; }

SharedTrace::SharedTrace(PyThreadState* thread, ThreadSlot* slot, Py_tracefunc lines)
    : thread_(thread),
      slot_(slot),
      outer_(slot->shared_trace),
      outer_active_(active(thread)),
      lines_(lines),
      other_(outer_active_ ? outer_->other_ : thread->c_tracefunc) {
  slot->shared_trace = this;
  set_trace(thread, trace_both);
}

SharedTrace::~SharedTrace() {
  slot_->shared_trace = outer_;
  if (!active(thread_)) return;  // replaced by the program, or line tracing ended
  if (outer_active_) {
    outer_->other_ = other_;
  } else {
    set_trace(thread_, other_);
  }
}

void SharedTrace::end(const ThreadSlot* slot) {
  SharedTrace* shared = slot->shared_trace;
  if (shared != nullptr && active(shared->thread_)) set_trace(shared->thread_, shared->other_);
  for (; shared != nullptr; shared = shared->outer_) shared->ended_ = true;
}

int SharedTrace::trace_both(PyObject* self, PyFrameObject* frame, int what, PyObject* argument) {
  SharedTrace* shared = ThreadSlots::current()->shared_trace;
  const bool wanted =
      shared->other_ != nullptr && (what != PyTrace_LINE || shared->other_wants_lines_);
  const int result = wanted ? shared->call_other(self, frame, what, argument) : 0;
  if (what == PyTrace_LINE && !shared->ended_) shared->lines_(nullptr, frame, what, argument);
  return result;
}

// The other function may end or replace itself, and may switch off its frame's line events.
int SharedTrace::call_other(PyObject* self, PyFrameObject* frame, int what, PyObject* argument) {
  set_trace(thread_, other_);
  const int result = other_(self, frame, what, argument);
  if (ended_) return result;
  other_ = thread_->c_tracefunc;
  set_trace(thread_, trace_both);
  if (frame->f_trace_lines == 0) {
    other_wants_lines_ = false;
    frame->f_trace_lines = 1;
  }
  return result;
}

SharedTracePause::SharedTracePause(PyThreadState* thread, ThreadSlot* slot)
    : thread_(thread), paused_(SharedTrace::active(thread) ? slot->shared_trace : nullptr) {
  if (paused_ != nullptr) set_trace(thread, paused_->other_);
}

SharedTracePause::~SharedTracePause() {
  if (paused_ == nullptr || paused_->ended_) return;
  paused_->other_ = thread_->c_tracefunc;
  set_trace(thread_, SharedTrace::trace_both);
}

}  // namespace laptime::python

#endif
