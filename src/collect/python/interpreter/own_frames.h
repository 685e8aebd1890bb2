// The calling thread's own Python frames, innermost first, readable without the GIL.
//
// Assumption: while a thread is inside a C function that Python called, its own frames neither move
// nor change. The objects that they refer to (code objects, arguments) stay alive. Consequence: no
// lock is needed, if nothing is written and no reference is taken. Contract: a FrameRef is valid
// until the thread runs Python again.
#pragma once

#include <Python.h>

#include <cstdint>

#if PY_VERSION_HEX >= 0x030B0000
#define Py_BUILD_CORE 1
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE
#else
#include <frameobject.h>
#endif

namespace laptime::python {

#if PY_VERSION_HEX >= 0x030B0000
using FrameRef = const _PyInterpreterFrame*;
#else
using FrameRef = const PyFrameObject*;
#endif

inline FrameRef innermost_frame(const PyThreadState* thread) {
#if PY_VERSION_HEX >= 0x030D0000
  return thread->current_frame;
#elif PY_VERSION_HEX >= 0x030B0000
  return thread->cframe != nullptr ? thread->cframe->current_frame : nullptr;
#else
  return thread->frame;
#endif
}

inline FrameRef outer_frame(FrameRef frame) {
#if PY_VERSION_HEX >= 0x030B0000
  return frame->previous;
#else
  return frame->f_back;
#endif
}

// Null for frames that only connect the interpreter to C.
inline const PyCodeObject* frame_code(FrameRef frame) {
#if PY_VERSION_HEX >= 0x030D0000
  if (frame->owner == FRAME_OWNED_BY_CSTACK) return nullptr;
  PyObject* const code = frame->f_executable;
  return code != nullptr && Py_TYPE(code) == &PyCode_Type
             ? reinterpret_cast<const PyCodeObject*>(code)
             : nullptr;
#elif PY_VERSION_HEX >= 0x030C0000
  return frame->owner == FRAME_OWNED_BY_CSTACK ? nullptr : frame->f_code;
#else
  return frame->f_code;
#endif
}

// Distinguishes a code object from others, including later ones at the same address. Before 3.12, a
// code object has no number of its own, so fields that rarely coincide are used.
inline std::uint64_t code_identity(const PyCodeObject* code) {
#if PY_VERSION_HEX >= 0x030C0000
  const std::uint64_t content = static_cast<std::uint64_t>(code->co_version)
                                << 32;  // unique only within its interpreter
#else
  const std::uint64_t content = reinterpret_cast<std::uint64_t>(code->co_linetable) ^
                                static_cast<std::uint64_t>(code->co_firstlineno) << 48;
#endif
  return (reinterpret_cast<std::uint64_t>(code) * 3 ^ content) * 0x9E37'79B9'7F4A'7C15;
}

// The current instruction, in code units from the first. Negative if none has run yet.
inline int frame_instruction(FrameRef frame, const PyCodeObject* code) {
#if PY_VERSION_HEX >= 0x030D0000
  return static_cast<int>(frame->instr_ptr - _PyCode_CODE(code));
#elif PY_VERSION_HEX >= 0x030B0000
  return static_cast<int>(frame->prev_instr - _PyCode_CODE(code));
#else
  (void)code;
  return frame->f_lasti;
#endif
}

// The first argument as stored in its slot. It may be null, or a cell if an inner function uses it.
inline PyObject* first_argument(FrameRef frame) {
#if PY_VERSION_HEX >= 0x030B0000
  return frame->localsplus[0];
#else
  return frame->f_localsplus[0];
#endif
}

#if PY_VERSION_HEX >= 0x030B0000
// Visits the addresses of the words that the functions above read, so that a later check can
// compare them.
template <typename Visit>
void visit_way_to_innermost(const PyThreadState* thread, const Visit& visit) {
#if PY_VERSION_HEX >= 0x030D0000
  visit(&thread->current_frame);
#else
  visit(&thread->cframe);
  visit(&thread->cframe->current_frame);
#endif
}
// Visits the words that code_identity depends on.
template <typename Visit>
void visit_identity(const PyCodeObject* code, const Visit& visit) {
#if PY_VERSION_HEX >= 0x030C0000
  visit(&code->co_version);
#else
  visit(&code->co_linetable);
  visit(&code->co_firstlineno);
#endif
}
inline const void* outer_address(FrameRef frame) { return &frame->previous; }
inline const void* first_argument_address(FrameRef frame) { return &frame->localsplus[0]; }
inline const void* code_address(FrameRef frame) {
#if PY_VERSION_HEX >= 0x030D0000
  return &frame->f_executable;
#else
  return &frame->f_code;
#endif
}
inline const void* instruction_address(FrameRef frame) {
#if PY_VERSION_HEX >= 0x030D0000
  return &frame->instr_ptr;
#else
  return &frame->prev_instr;
#endif
}
// False for a generator's frame, which is part of the generator and stays at its address.
inline bool is_on_thread_stack(FrameRef frame) { return frame->owner == FRAME_OWNED_BY_THREAD; }
#endif

}  // namespace laptime::python
