#include "collect/python/interpreter/monitoring_ids.h"

#if PY_VERSION_HEX >= 0x030C0000

#include <algorithm>
#include <array>

#include "collect/python/interpreter/python_support.h"

namespace laptime::python {

namespace {

constexpr int kIds = 6;
std::array<MonitoringIdHolder*, kIds> holders{};
int wanted_by_program = -1;  // not acquired again while a tool moves away from it

PyObject* use_tool_id(PyObject*, PyObject* const* args, Py_ssize_t count);
PyObject* get_tool(PyObject*, PyObject* const* args, Py_ssize_t count);
PyObject* get_events(PyObject*, PyObject* const* args, Py_ssize_t count);
PyObject* free_tool_id(PyObject*, PyObject* const* args, Py_ssize_t count);

PyCFunction as_method(PyObject* (*function)(PyObject*, PyObject* const*, Py_ssize_t)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

// A function of sys.monitoring that ours replaces while an id is held.
struct Replaced {
  PyMethodDef method;
  PyObject* original = nullptr;
  PyObject* ours = nullptr;
};
Replaced use{{"use_tool_id", as_method(&use_tool_id), METH_FASTCALL, nullptr}};
Replaced get{{"get_tool", as_method(&get_tool), METH_FASTCALL, nullptr}};
Replaced events{{"get_events", as_method(&get_events), METH_FASTCALL, nullptr}};
Replaced release{{"free_tool_id", as_method(&free_tool_id), METH_FASTCALL, nullptr}};

PyObject* monitoring() { return PySys_GetObject("monitoring"); }  // borrowed

// The tool of laptime's that holds the id in the program's first argument. Null if that is not an
// id, or the id is not held.
MonitoringIdHolder* holder_of(PyObject* const* args, Py_ssize_t count) {
  if (count < 1 || !PyLong_Check(args[0])) return nullptr;
  const long id = PyLong_AsLong(args[0]);
  if (id == -1) PyErr_Clear();
  return id >= 0 && id < kIds ? holders[static_cast<std::size_t>(id)] : nullptr;
}

PyObject* call_original(const Replaced& function, PyObject* const* args, Py_ssize_t count) {
  return PyObject_Vectorcall(function.original, args, static_cast<std::size_t>(count), nullptr);
}

PyObject* use_tool_id(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (MonitoringIdHolder* const holder = holder_of(args, count); holder != nullptr && count == 2) {
    const ErrorGuard guard;
    wanted_by_program = holder->id;
    holder->make_way();
    wanted_by_program = -1;
  }
  return call_original(use, args, count);
}

PyObject* get_tool(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (holder_of(args, count) != nullptr && count == 1) Py_RETURN_NONE;
  return call_original(get, args, count);
}

PyObject* get_events(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (holder_of(args, count) != nullptr && count == 1) return PyLong_FromLong(0);
  return call_original(events, args, count);
}

PyObject* free_tool_id(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (holder_of(args, count) != nullptr && count == 1) Py_RETURN_NONE;
  return call_original(release, args, count);
}

bool put_ours(Replaced& function) {
  if (function.ours == nullptr) {
    function.original = PyObject_GetAttrString(monitoring(), function.method.ml_name);
    const OwnedRef module(PyUnicode_FromString("sys.monitoring"));
    if (function.original == nullptr || !module) return false;
    function.ours = PyCFunction_NewEx(&function.method, nullptr, module.get());
    if (function.ours == nullptr) return false;
  }
  return PyObject_SetAttrString(monitoring(), function.method.ml_name, function.ours) == 0;
}

// A later replacement by the program stays.
void put_back(const Replaced& function) {
  const OwnedRef current(PyObject_GetAttrString(monitoring(), function.method.ml_name));
  if (current.get() == function.ours)
    PyObject_SetAttrString(monitoring(), function.method.ml_name, function.original);
  PyErr_Clear();
}

bool any_held() {
  return std::any_of(holders.begin(), holders.end(),
                     [](const MonitoringIdHolder* holder) { return holder != nullptr; });
}

void put_all_back_unless_held() {
  if (any_held()) return;
  for (const Replaced* function : {&use, &get, &events, &release}) put_back(*function);
}

}  // namespace

Taken take_monitoring_id(MonitoringIdHolder* holder, int id, const char* name) {
  if (id == wanted_by_program || holders[static_cast<std::size_t>(id)] != nullptr)
    return Taken::by_others;
  if (!any_held() && !(put_ours(use) && put_ours(get) && put_ours(events) && put_ours(release)))
    return Taken::failed;
  if (OwnedRef(PyObject_CallFunction(use.original, "is", id, name))) {
    holders[static_cast<std::size_t>(id)] = holder;
    return Taken::by_us;
  }
  const bool in_use = PyErr_ExceptionMatches(PyExc_ValueError);
  if (in_use) PyErr_Clear();
  const ErrorGuard guard;
  put_all_back_unless_held();
  return in_use ? Taken::by_others : Taken::failed;
}

void free_monitoring_id(MonitoringIdHolder* holder, int id) {
  if (holders[static_cast<std::size_t>(id)] == holder)
    holders[static_cast<std::size_t>(id)] = nullptr;
  if (!OwnedRef(PyObject_CallFunction(release.original, "i", id))) PyErr_Clear();
  put_all_back_unless_held();
}

}  // namespace laptime::python

#endif
