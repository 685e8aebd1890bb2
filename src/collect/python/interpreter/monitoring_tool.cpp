#include "collect/python/interpreter/monitoring_tool.h"

#if PY_VERSION_HEX >= 0x030C0000

#include <cstddef>

#include "collect/python/interpreter/python_support.h"

namespace laptime::python {

namespace {

struct CallbackObject {
  PyObject_HEAD vectorcallfunc function;
};

PyTypeObject* callback_type() {
  static PyTypeObject type{};
  if (type.tp_name != nullptr) return &type;
  Py_SET_REFCNT(reinterpret_cast<PyObject*>(&type), 1);
  type.tp_basicsize = sizeof(CallbackObject);
  type.tp_flags =
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION;
  type.tp_vectorcall_offset = offsetof(CallbackObject, function);
  type.tp_call = PyVectorcall_Call;
  type.tp_dealloc = [](PyObject* self) { PyObject_Free(self); };
  type.tp_name = "laptime._native.callback";
  return PyType_Ready(&type) == 0 ? &type : nullptr;
}

OwnedRef make_callback(vectorcallfunc function) {
  PyTypeObject* type = callback_type();
  if (type == nullptr) return OwnedRef();
  auto* object = PyObject_New(CallbackObject, type);
  if (object != nullptr) object->function = function;
  return OwnedRef(reinterpret_cast<PyObject*>(object));
}

PyObject* monitoring() { return PySys_GetObject("monitoring"); }  // borrowed

bool succeeded(PyObject* result) { return static_cast<bool>(OwnedRef(result)); }

PyObject* constant(const char* name) { return PyObject_GetAttrString(monitoring(), name); }

}  // namespace

bool MonitoringTool::acquire() {
  for (const int id : {3, 4, 5, 1, 0, 2}) {
    const Taken taken = take_monitoring_id(&holder_, id, name_);
    if (taken == Taken::failed) return false;
    if (taken == Taken::by_us) {
      holder_.id = id;
      return true;
    }
  }
  PyErr_SetString(PyExc_RuntimeError, "all sys.monitoring tool ids are in use by other tools");
  return false;
}

void MonitoringTool::release() {
  if (holder_.id < 0) return;
  const ErrorGuard guard;
  set_events(0);
  for (int event = 0; event <= 16; ++event) {
    if (!succeeded(PyObject_CallMethod(monitoring(), "register_callback", "iiO", holder_.id,
                                       1 << event, Py_None)))
      PyErr_Clear();
  }
  free_monitoring_id(&holder_, holder_.id);
  holder_.id = -1;
}

bool MonitoringTool::set_callbacks(
    std::initializer_list<std::pair<MonitoringEvent, vectorcallfunc>> callbacks) {
  for (const auto& [event, function] : callbacks) {
    const OwnedRef callback = make_callback(function);
    if (!callback) return false;
    PyObject* previous = PyObject_CallMethod(monitoring(), "register_callback", "iiO", holder_.id,
                                             int{event}, callback.get());
    if (!succeeded(previous)) return false;
  }
  return true;
}

bool MonitoringTool::set_events(int events) {
  return succeeded(PyObject_CallMethod(monitoring(), "set_events", "ii", holder_.id, events));
}

bool MonitoringTool::set_local_events(PyObject* code, int events) {
  return succeeded(
      PyObject_CallMethod(monitoring(), "set_local_events", "iOi", holder_.id, code, events));
}

bool MonitoringTool::restart_events() {
  return succeeded(PyObject_CallMethod(monitoring(), "restart_events", nullptr));
}

PyObject* MonitoringTool::disable() {
  static PyObject* const value = constant("DISABLE");
  return Py_NewRef(value);
}

PyObject* MonitoringTool::missing() {
  static PyObject* const value = constant("MISSING");
  return value;
}

}  // namespace laptime::python

#endif
