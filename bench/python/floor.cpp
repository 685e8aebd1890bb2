// The floor that the engines are compared with: a C callback that stores the clock at every event
// and returns.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <x86intrin.h>

#include <cstddef>

namespace {

volatile unsigned long long last_clock;

#if PY_VERSION_HEX >= 0x030C0000

struct Callback {
  PyObject_HEAD vectorcallfunc function;
};

PyObject* store_clock(PyObject*, PyObject* const*, std::size_t, PyObject*) {
  last_clock = __rdtsc();
  return Py_None;
}

PyObject* callback(PyObject*, PyObject*) {
  static PyTypeObject type{};
  if (type.tp_name == nullptr) {
    Py_SET_REFCNT(reinterpret_cast<PyObject*>(&type), 1);
    type.tp_basicsize = sizeof(Callback);
    type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL;
    type.tp_vectorcall_offset = offsetof(Callback, function);
    type.tp_call = PyVectorcall_Call;
    type.tp_dealloc = [](PyObject* self) { PyObject_Free(self); };
    type.tp_name = "floor.callback";
    if (PyType_Ready(&type) < 0) return nullptr;
  }
  auto* object = PyObject_New(Callback, &type);
  if (object != nullptr) object->function = store_clock;
  return reinterpret_cast<PyObject*>(object);
}

PyMethodDef methods[] = {{"callback", callback, METH_NOARGS, "A callable that stores the clock."},
                         {}};

#else

int store_clock(PyObject*, PyFrameObject*, int, PyObject*) {
  last_clock = __rdtsc();
  return 0;
}

PyObject* trace(PyObject*, PyObject* on) {
  PyEval_SetTrace(PyObject_IsTrue(on) ? store_clock : nullptr, nullptr);
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"trace", trace, METH_O, "Traces this thread with a function that stores the clock."}, {}};

#endif

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "floor", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_floor() { return PyModule_Create(&definition); }
