// The backend of both engines on CPython 3.10 and 3.11: a frame-evaluation hook.
//
// The hook sees every Python frame of every thread and updates the shadow stacks itself. It
// switches line tracing on only while a frame of the user's code runs, so library code costs a few
// nanoseconds a call. Frames that were running when the engine started are not under the hook. They
// are traced as usual, and their return event pops them. Contract: a trace or profile function of
// another tool is always called. Beside it, code given to a line profiler is timed by line, all
// other code by function.
#include "collect/python/interpreter/frame_access.h"

#if PY_VERSION_HEX < 0x030C0000

#include "base/clock.h"
#include "collect/python/functions/function_engine.h"
#include "collect/python/interpreter/frame_hook.h"
#include "collect/python/interpreter/shared_trace.h"
#include "collect/python/lines/line_engine.h"
#include "collect/python/notices.h"

namespace laptime::python {

namespace {

LineEngine* lines = nullptr;
FunctionEngine* functions = nullptr;
bool follow_lines = false;
bool follow_calls = false;
const FrameLimiter* limiter = nullptr;
_PyFrameEvalFunction previous_hook = _PyEval_EvalFrameDefault;

void note_other_tracer() {
  add_notice("other-tracer",
             "another tool traces this program (sys.settrace): its code is timed by function, not "
             "by line");
}

// Whether the top frame is one of those at the bottom of the stack that are not under the hook.
bool is_late_frame(const ThreadSlot* slot) { return slot->lines.depth() <= slot->late_depth; }

void on_late_return(PyObject* code) {
  const std::uint64_t now = ticks();
  ThreadSlot* slot = ThreadSlots::current();
  if (slot->line_epoch != lines->epoch()) {
    if (lines->traced(code) == nullptr) return;
    lines->slot_for_event(nullptr);
  }
  if (!is_late_frame(slot) || slot->lines.top()->code != code) return;
  slot->lines.pop(now);
  slot->late_depth = slot->lines.depth();
}

[[gnu::noinline]] LineFrame* frame_not_on_top(ThreadSlot* slot, PyObject* code, std::uint64_t now) {
  return lines->traced(code) != nullptr ? lines->realign(slot, code, now) : nullptr;
}

// Stops the lines of demoted code. A frame under the hook ends in the hook; a late frame still
// needs its return event.
void silence(ThreadSlot* slot, PyFrameObject* frame) {
  if (is_late_frame(slot)) {
    frame->f_trace_lines = 0;
  } else {
    set_trace(PyThreadState_Get(), nullptr);
  }
}

int trace_lines(PyObject*, PyFrameObject* frame, int what, PyObject*) {
  if (what != PyTrace_LINE) [[unlikely]] {
    if (what == PyTrace_RETURN) on_late_return(code_of(frame));
    return 0;
  }
  const std::uint64_t now = ticks();
  ThreadSlot* slot = ThreadSlots::current();
  LineFrame* top = slot->lines.top();
  PyObject* code = code_of(frame);
  if (top->code != code) [[unlikely]] {
    top = frame_not_on_top(slot, code, now);
    if (top == nullptr) return 0;
  }
  CodeRecord* record = top->record;
  if (record->level == Level::lines) [[likely]] {
    top->move_to(frame->f_lineno, now);
    if (!lines->meter(slot, record, now)) [[likely]]
      return 0;
  }
  if (record->level != Level::lines) silence(slot, frame);
  return 0;
}

PyObject* evaluate_library(PyThreadState* thread, EvalFrame* frame, int throwing) {
  if (SharedTrace::active(thread)) [[unlikely]] {
    const SharedTracePause pause(thread, ThreadSlots::current());
    return previous_hook(thread, frame, throwing);
  }
  if (thread->c_tracefunc != trace_lines) [[likely]]
    return previous_hook(thread, frame, throwing);
  set_trace(thread, nullptr);
  const std::uint32_t epoch = lines->epoch();
  PyObject* result = previous_hook(thread, frame, throwing);
  if (thread->c_tracefunc == nullptr && follow_lines && lines->epoch() == epoch)
    set_trace(thread, trace_lines);
  return result;
}

PyObject* evaluate_on_stack(PyThreadState* thread, EvalFrame* frame, int throwing,
                            CodeRecord* record, bool by_line) {
  const std::uint32_t epoch = lines->epoch();
  ThreadSlot* slot = lines->slot_for_event(code_of(frame));
  const std::size_t depth = slot->lines.depth();
  const std::uint32_t line_slot = slot_at_instruction(*record, last_offset(frame));
  if (throwing) [[unlikely]] {
    lines->enter_passing_on(slot, ticks(), false);
    if (PyErr_ExceptionMatches(PyExc_GeneratorExit)) lines->charge_closing(slot, record, line_slot);
  }
  lines->enter(slot, record, line_slot, ticks());
  if (!by_line && slot->lines.depth() > depth) slot->lines.move_top_to_whole();
  PyObject* result = previous_hook(thread, frame, throwing);
  if (!follow_lines || lines->epoch() != epoch) return result;
  const std::uint64_t now = ticks();
  while (slot->lines.depth() > depth) slot->lines.pop(now);
  return result;
}

[[gnu::noinline]] PyObject* evaluate_beside_other(PyThreadState* thread, EvalFrame* frame,
                                                  int throwing, CodeRecord* record) {
  ThreadSlot* slot = ThreadSlots::current();
  if (record->sessions != 0 && record->level == Level::lines && thread->tracing == 0) {
    const SharedTrace both(thread, slot, trace_lines);
    return evaluate_on_stack(thread, frame, throwing, record, true);
  }
  note_other_tracer();
  const SharedTracePause pause(thread, slot);
  return evaluate_on_stack(thread, frame, throwing, record, false);
}

PyObject* evaluate_user(PyThreadState* thread, EvalFrame* frame, int throwing, CodeRecord* record) {
  const Py_tracefunc outer = thread->c_tracefunc;
  const bool foreign = (outer != nullptr && outer != trace_lines) || thread->tracing != 0;
  if (foreign) [[unlikely]]
    return evaluate_beside_other(thread, frame, throwing, record);
  set_trace(thread, record->level == Level::lines ? trace_lines : nullptr);
  const std::uint32_t epoch = lines->epoch();
  PyObject* result = evaluate_on_stack(thread, frame, throwing, record, true);
  if (!follow_lines || lines->epoch() != epoch) return result;
  const bool still_ours = thread->c_tracefunc == nullptr || thread->c_tracefunc == trace_lines;
  if (still_ours) set_trace(thread, outer);
  return result;
}

[[gnu::noinline]] PyObject* evaluate_new_code(PyThreadState* thread, EvalFrame* frame,
                                              int throwing) {
  // Classification itself may run Python code, which must not be classified.
  if (ThreadSlots::current()->inside_engine) return previous_hook(thread, frame, throwing);
  CodeRecord* record = lines->traced(code_of(frame));
  if (record == nullptr || makes_generator(frame)) return evaluate_library(thread, frame, throwing);
  return evaluate_user(thread, frame, throwing, record);
}

PyObject* evaluate_lines(PyThreadState* thread, EvalFrame* frame, int throwing) {
  CodeRecord* record = lines->classified(code_of(frame));
  if (record == nullptr) [[unlikely]]
    return evaluate_new_code(thread, frame, throwing);
  const bool followed = record->user && record->level != Level::off;
  if (!followed || makes_generator(frame)) [[likely]]
    return evaluate_library(thread, frame, throwing);
  return evaluate_user(thread, frame, throwing, record);
}

PyObject* evaluate_next(PyThreadState* thread, EvalFrame* frame, int throwing) {
  return follow_lines ? evaluate_lines(thread, frame, throwing)
                      : previous_hook(thread, frame, throwing);
}

PyObject* evaluate_calls(PyThreadState* thread, EvalFrame* frame, int throwing) {
  if (makes_generator(frame)) return evaluate_next(thread, frame, throwing);
  PyObject* code = code_of(frame);
  const std::uint32_t epoch = functions->epoch();
  const bool entered = functions->enter(code);
  PyObject* result = evaluate_next(thread, frame, throwing);
  if (entered && follow_calls && functions->epoch() == epoch) functions->leave(code, ticks());
  return result;
}

PyObject* evaluate(PyThreadState* thread, EvalFrame* frame, int throwing) {
  if (follow_calls) return evaluate_calls(thread, frame, throwing);
  return evaluate_next(thread, frame, throwing);
}

PyObject* evaluate_limited(PyThreadState* thread, EvalFrame* frame, int throwing) {
  if (limiter == nullptr) [[unlikely]]
    return evaluate(thread, frame, throwing);
  const bool before = limiter->begin(thread, code_of(frame));
  PyObject* result = evaluate(thread, frame, throwing);
  if (limiter != nullptr) limiter->end(thread, before);
  return result;
}

bool is_ours(_PyFrameEvalFunction hook) {
  return hook == evaluate || hook == evaluate_lines || hook == evaluate_calls ||
         hook == evaluate_limited;
}

bool installed = false;

// Installs the narrowest function for the engines that are on, or none.
void install_hook() {
  PyInterpreterState* interpreter = PyInterpreterState_Get();
  const _PyFrameEvalFunction current = _PyInterpreterState_GetEvalFrameFunc(interpreter);
  if (!is_ours(current)) {
    // Another tool has installed a hook over ours and will call it. Installing ours again would
    // close a cycle.
    if (installed) return;
    previous_hook = current;
  }
  _PyFrameEvalFunction wanted = previous_hook;
  if (follow_lines) wanted = evaluate_lines;
  if (follow_calls) wanted = follow_lines ? evaluate : evaluate_calls;
  if (limiter != nullptr) wanted = evaluate_limited;
  _PyInterpreterState_SetEvalFrameFunc(interpreter, wanted);
  installed = wanted != previous_hook;
}

bool has_traced_frame(PyThreadState* thread) {
  OwnedRef frame(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(thread)));
  while (frame) {
    auto* object = reinterpret_cast<PyFrameObject*>(frame.get());
    if (lines->traced(code_of(object)) != nullptr) return true;
    frame = OwnedRef(reinterpret_cast<PyObject*>(PyFrame_GetBack(object)));
  }
  return false;
}

void restore_line_events(PyThreadState* thread) {
  OwnedRef frame(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(thread)));
  while (frame) {
    auto* object = reinterpret_cast<PyFrameObject*>(frame.get());
    const CodeRecord* record = CodeRegistry::find(code_of(object));
    if (record != nullptr && record->level != Level::lines) object->f_trace_lines = 1;
    frame = OwnedRef(reinterpret_cast<PyObject*>(PyFrame_GetBack(object)));
  }
}

}  // namespace

bool attach_lines(bool) {
  lines = &LineEngine::instance();
  follow_lines = true;
  install_hook();
  for_each_python_thread([](PyThreadState* thread) {
    if (!has_traced_frame(thread)) return;
    if (thread->c_tracefunc == nullptr) {
      set_trace(thread, trace_lines);
    } else {
      note_other_tracer();
    }
  });
  return true;
}

void detach_lines() {
  follow_lines = false;
  install_hook();
  for (const auto& slot : ThreadSlots::instance().all()) SharedTrace::end(slot.get());
  for_each_python_thread([](PyThreadState* thread) {
    if (thread->c_tracefunc == trace_lines) set_trace(thread, nullptr);
    restore_line_events(thread);
  });
}

// The hook decides frame by frame which frames send events.
void arm_lines(CodeRecord* record) { record->armed_epoch = lines->epoch(); }

void hook_calls(bool on) {
  functions = &FunctionEngine::instance();
  follow_calls = on;
  install_hook();
}

void hook_limiter(const FrameLimiter* wanted) {
  limiter = wanted;
  install_hook();
}

}  // namespace laptime::python

#endif
