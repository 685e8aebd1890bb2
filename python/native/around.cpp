#include "around.h"

#include <structmember.h>

#include "laptime/laptime.h"
#include "record/collector.h"

namespace nb = nanobind;

namespace laptime::python {

namespace {

struct Around {
  PyObject_HEAD vectorcallfunc call;
  PyObject *function, *before, *after;  // before and after: null for none
  std::uint32_t name;                   // 0: no span
  std::uint32_t end_name;               // used if StopIteration is raised
  SpanKind kind;
};

// Saves the exception that propagates, so that the calls in between do not see it. An exception
// that they raise replaces it.
class HeldError {
 public:
  HeldError() { PyErr_Fetch(&type_, &value_, &traceback_); }
  ~HeldError() {
    if (!PyErr_Occurred()) {
      PyErr_Restore(type_, value_, traceback_);
      return;
    }
    Py_XDECREF(type_);
    Py_XDECREF(value_);
    Py_XDECREF(traceback_);
  }
  HeldError(const HeldError&) = delete;
  HeldError& operator=(const HeldError&) = delete;
  PyObject* type() const { return type_ ? type_ : Py_None; }

 private:
  PyObject *type_, *value_, *traceback_;
};

// Prints one line, once. From then on the function is called alone.
void give_up(Around* self) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyObject* const text = value ? PyObject_Str(value) : nullptr;
  const char* const reason = text ? PyUnicode_AsUTF8(text) : nullptr;
  PySys_FormatStderr("laptime: calls of %R are no longer recorded: %s\n", self->function,
                     reason ? reason : "");
  PyErr_Clear();
  Py_XDECREF(text);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  Py_CLEAR(self->before);
  Py_CLEAR(self->after);
}

// Whether a handler of the program raised the current exception
// (laptime/collect/signal_handlers.py).
bool is_raised_by_handler() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback) PyException_SetTraceback(value, traceback);
  PyObject* const module = PyImport_ImportModule("laptime.collect.signal_handlers");
  PyObject* const answer =
      module ? PyObject_CallMethod(module, "raised_by_handler", "O", value) : nullptr;
  const bool is_raised = answer == Py_True;
  Py_XDECREF(answer);
  Py_XDECREF(module);
  PyErr_Restore(type, value, traceback);
  return is_raised;
}

// Whether the call may continue. Ctrl-C, and exceptions of the program's handlers, arrive anywhere
// in Python code. They belong to the program.
bool survive(Around* self, PyObject* result) {
  Py_XDECREF(result);
  if (result) return true;
  if (!PyErr_ExceptionMatches(PyExc_Exception) || is_raised_by_handler()) return false;
  give_up(self);
  return true;
}

bool call_before(Around* self, PyObject* first) {
  if (!self->before) return true;
  PyObject* const held = Py_NewRef(self->before);
  const bool good = survive(self, PyObject_CallOneArg(held, first));
  Py_DECREF(held);
  return good;
}

bool call_after(Around* self, PyObject* first, PyObject* result, PyObject* raised) {
  if (!self->after) return true;
  PyObject* const held = Py_NewRef(self->after);
  PyObject* const words[] = {first, result ? result : Py_None, raised};
  const bool good = survive(self, PyObject_Vectorcall(held, words, 3, nullptr));
  Py_DECREF(held);
  return good;
}

PyObject* call_around(PyObject* object, PyObject* const* arguments, std::size_t flags,
                      PyObject* keywords) {
  auto* const self = reinterpret_cast<Around*>(object);
  PyObject* const first = PyVectorcall_NARGS(flags) > 0 ? arguments[0] : Py_None;
  if (!call_before(self, first)) return nullptr;
  const std::uint64_t start = self->name ? laptime_begin() : 0;
  PyObject* const result = PyObject_Vectorcall(self->function, arguments, flags, keywords);
  if (start) {
    const bool is_end =
        !result && self->end_name != self->name && PyErr_ExceptionMatches(PyExc_StopIteration);
    record::put_span({.start = start,
                      .end = ticks(),
                      .name = is_end ? self->end_name : self->name,
                      .kind = self->kind});
  }
  if (result) {
    if (call_after(self, first, result, Py_None)) return result;
    Py_DECREF(result);
    return nullptr;
  }
  const HeldError error;
  (void)call_after(self, first, nullptr, error.type());
  return nullptr;
}

PyObject* make(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  static const char* names[] = {"function", "before", "after", "name", "kind", "end_name", nullptr};
  PyObject *function, *before = Py_None, *after = Py_None;
  const char *name = "", *end_name = "";
  unsigned char kind = 0;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OOsbs", const_cast<char**>(names),
                                   &function, &before, &after, &name, &kind, &end_name))
    return nullptr;
  auto* const self = reinterpret_cast<Around*>(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  self->call = &call_around;
  self->function = Py_NewRef(function);
  self->before = before == Py_None ? nullptr : Py_NewRef(before);
  self->after = after == Py_None ? nullptr : Py_NewRef(after);
  self->name = *name ? record::intern(name) : 0;
  self->end_name = *end_name ? record::intern(end_name) : self->name;
  self->kind = static_cast<SpanKind>(kind);
  return reinterpret_cast<PyObject*>(self);
}

int traverse(PyObject* object, visitproc visit, void* arg) {
  auto* const self = reinterpret_cast<Around*>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->function);
  Py_VISIT(self->before);
  Py_VISIT(self->after);
  return 0;
}

int clear(PyObject* object) {
  auto* const self = reinterpret_cast<Around*>(object);
  Py_CLEAR(self->function);
  Py_CLEAR(self->before);
  Py_CLEAR(self->after);
  return 0;
}

void free_around(PyObject* object) {
  PyObject_GC_UnTrack(object);
  clear(object);
  PyTypeObject* const type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

PyObject* bind_to(PyObject* object, PyObject* instance, PyObject*) {
  if (!instance || instance == Py_None) return Py_NewRef(object);
  return PyMethod_New(object, instance);
}

// Names, documentation and signature are the function's.
PyObject* attribute(PyObject* object, PyObject* name) {
  PyObject* const function = reinterpret_cast<Around*>(object)->function;
  if (PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, "__wrapped__") == 0)
    return Py_NewRef(function);
  if (PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, "__class__") != 0)
    if (PyObject* const value = PyObject_GetAttr(function, name)) return value;
  PyErr_Clear();
  return PyObject_GenericGetAttr(object, name);
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Around, call), READONLY, nullptr}, {}};

PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(&make)},
    {Py_tp_call, reinterpret_cast<void*>(&PyVectorcall_Call)},
    {Py_tp_traverse, reinterpret_cast<void*>(&traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(&clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(&free_around)},
    {Py_tp_descr_get, reinterpret_cast<void*>(&bind_to)},
    {Py_tp_getattro, reinterpret_cast<void*>(&attribute)},
    {Py_tp_members, members},
    {0, nullptr},
};

PyType_Spec spec = {"laptime._native.Around", sizeof(Around), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                        Py_TPFLAGS_METHOD_DESCRIPTOR,
                    slots};

}  // namespace

void bind_around(nb::module_& module) { module.attr("Around") = nb::steal(PyType_FromSpec(&spec)); }

}  // namespace laptime::python
