// The function engine's backend on CPython 3.10 and 3.11. C functions are seen only through the
// interpreter's profile function. It is set on every thread, and on a new thread as soon as the
// call that starts it has returned. With a budget, the frame hook removes it while code runs that
// makes too many calls. Without C functions, the frame hook alone does the work at a lower cost.
#include "collect/python/interpreter/frame_access.h"

#if PY_VERSION_HEX < 0x030C0000

#include "base/clock.h"
#include "collect/python/functions/function_engine.h"
#include "collect/python/interpreter/frame_hook.h"
#include "collect/python/notices.h"

namespace laptime::python {

namespace {

FunctionEngine* engine = nullptr;
bool with_builtins = false;
bool thread_is_starting = false;

int profile(PyObject*, PyFrameObject* frame, int what, PyObject* argument);

void set_profile(PyThreadState* thread, Py_tracefunc function) {
  thread->c_profilefunc = function;
  update_tracing(thread);
}

void attach_threads() {
  for_each_python_thread([](PyThreadState* thread) {
    if (thread->c_profilefunc == nullptr) {
      set_profile(thread, profile);
    } else if (thread->c_profilefunc != profile) {
      add_notice("other-profiler",
                 "another profiler holds sys.setprofile in a thread: its functions are not "
                 "measured there");
    }
  });
}

bool is_ours(PyThreadState* thread) {
  return thread->c_profilefunc == nullptr || thread->c_profilefunc == profile;
}

// Leaves another profiler's function in place.
void set_if_ours(PyThreadState* thread, bool on) {
  const Py_tracefunc wanted = on ? profile : nullptr;
  if (is_ours(thread) && thread->c_profilefunc != wanted) set_profile(thread, wanted);
}

bool begin_frame(PyThreadState* thread, PyObject* code) {
  const bool before = thread->c_profilefunc == profile;
  set_if_ours(thread, !FunctionEngine::is_off(code));
  return before;
}

constexpr FrameLimiter kLimiter{begin_frame, set_if_ours};

void enter_c(PyObject* caller, PyObject* function) {
  if (!engine->follows_calls_of(caller)) [[unlikely]]
    return set_if_ours(PyThreadState_Get(), false);
  const CFunctionRecord* record = engine->enter_c(function, nullptr);
  if (record != nullptr && record->starts_thread) [[unlikely]]
    thread_is_starting = true;
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
    case PyTrace_CALL:
      engine->enter(code_of(frame));
      break;
    case PyTrace_RETURN:
      engine->leave(code_of(frame), ticks());
      break;
    case PyTrace_C_CALL:
      enter_c(code_of(frame), argument);
      break;
    case PyTrace_C_RETURN:
    case PyTrace_C_EXCEPTION:
      leave_c(argument);
      break;
    default:
      break;
  }
  return 0;
}

}  // namespace

bool attach_functions(bool builtins) {
  engine = &FunctionEngine::instance();
  with_builtins = builtins;
  if (builtins) {
    if (engine->limited()) hook_limiter(&kLimiter);
    attach_threads();
  } else {
    hook_calls(true);
  }
  return true;
}

void detach_functions() {
  if (!with_builtins) return hook_calls(false);
  hook_limiter(nullptr);
  for_each_python_thread([](PyThreadState* thread) { set_if_ours(thread, false); });
}

void show_profiler(PyObject* profiler) {
  PyThreadState* thread = PyThreadState_Get();
  if (!is_ours(thread)) return;
  PyObject* before = thread->c_profileobj;
  Py_XINCREF(profiler);
  thread->c_profileobj = profiler;
  Py_XDECREF(before);  // last: this may run code of the program
}

}  // namespace laptime::python

#endif
