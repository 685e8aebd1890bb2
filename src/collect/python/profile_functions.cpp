// The function engine's backend on CPython 3.10 and 3.11. C functions are seen only through the interpreter's profile
// function; it is set on every thread, and on new ones as soon as the call that starts a thread has returned. Without C
// functions the frame hook does the same for less.
#include "collect/python/frame_access.h"

#if PY_VERSION_HEX < 0x030C0000

#include "base/clock.h"
#include "collect/python/frame_hook.h"
#include "collect/python/function_engine.h"
#include "collect/python/notices.h"

namespace laptime::python {

namespace {

FunctionEngine* engine = nullptr;
bool with_builtins = false;
bool thread_is_starting = false;

int profile(PyObject*, PyFrameObject* frame, int what, PyObject* argument);

void attach_threads() {
  for_each_python_thread([](PyThreadState* thread) {
    if (thread->c_profilefunc == nullptr) {
      thread->c_profilefunc = profile;
      update_tracing(thread);
    } else if (thread->c_profilefunc != profile) {
      add_notice("other-profiler", "another profiler holds sys.setprofile in a thread: its functions are not measured there");
    }
  });
}

void enter_c(PyObject* function) {
  const CFunctionRecord* record = engine->enter_c(function, nullptr);
  if (record != nullptr && record->starts_thread) [[unlikely]] thread_is_starting = true;
}

void leave_c(PyObject* function) {
  engine->leave_c(function, nullptr, ticks());
  if (thread_is_starting) [[unlikely]] {
    thread_is_starting = false;
    attach_threads();
  }
}

int profile(PyObject*, PyFrameObject* frame, int what, PyObject* argument) {
  switch (what) {
    case PyTrace_CALL: engine->enter(code_of(frame)); break;
    case PyTrace_RETURN: engine->leave(code_of(frame), ticks()); break;
    case PyTrace_C_CALL: enter_c(argument); break;
    case PyTrace_C_RETURN:
    case PyTrace_C_EXCEPTION: leave_c(argument); break;
    default: break;
  }
  return 0;
}

}  // namespace

bool attach_functions(bool builtins) {
  engine = &FunctionEngine::instance();
  with_builtins = builtins;
  if (builtins) {
    attach_threads();
  } else {
    hook_calls(true);
  }
  return true;
}

void detach_functions() {
  if (!with_builtins) return hook_calls(false);
  for_each_python_thread([](PyThreadState* thread) {
    if (thread->c_profilefunc != profile) return;
    thread->c_profilefunc = nullptr;
    update_tracing(thread);
  });
}

}  // namespace laptime::python

#endif
