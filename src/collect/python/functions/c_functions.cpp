#include "collect/python/functions/c_functions.h"

#include <cstring>

#include "collect/python/code/code_registry.h"
#include "collect/python/interpreter/python_support.h"
#include "collect/python/interpreter/python_text.h"

namespace laptime::python {

namespace {

std::string module_name(PyObject* module) {
  if (module == nullptr) return "";
  if (PyUnicode_Check(module)) return bytes_of(module);
  if (!PyModule_Check(module)) return "";
  OwnedRef name(PyModule_GetNameObject(module));
  return bytes_of(name.get());
}

std::string name_of_function(const PyCFunctionObject* function) {
  const std::string module = module_name(function->m_module);
  std::string name = "<";
  if (!module.empty() && module != "builtins") name.append(module).append(".");
  return name.append(function->m_ml->ml_name).append(">");
}

std::string name_of_method(const PyCFunctionObject* function) {
  OwnedRef name(PyUnicode_FromString(function->m_ml->ml_name));
  PyObject* method = name ? _PyType_Lookup(Py_TYPE(function->m_self), name.get()) : nullptr;
  OwnedRef kept(method);
  Py_XINCREF(method);
  OwnedRef text(method != nullptr ? PyObject_Repr(method) : nullptr);
  PyErr_Clear();
  if (text) return bytes_of(text.get());
  const std::string module = function->m_module != nullptr && PyUnicode_Check(function->m_module)
                                 ? bytes_of(function->m_module) + "."
                                 : "";
  return "<built-in method " + module + function->m_ml->ml_name + ">";
}

// The text that cProfile writes for a C function.
std::string profile_name(PyObject* function, PyObject* self) {
  OwnedRef bound;
  if (!PyCFunction_Check(function)) {
    bound = OwnedRef(Py_TYPE(function)->tp_descr_get(function, self,
                                                     reinterpret_cast<PyObject*>(Py_TYPE(self))));
    if (!bound || !PyCFunction_Check(bound.get())) return "<built-in method ?>";
    function = bound.get();
  }
  const auto* object = reinterpret_cast<PyCFunctionObject*>(function);
  return object->m_self == nullptr ? name_of_function(object) : name_of_method(object);
}

}  // namespace

CFunctions& CFunctions::instance() {
  static auto* functions = new CFunctions;
  return *functions;
}

CFunctionRecord* CFunctions::find_or_add(const PyMethodDef* definition, PyObject* function,
                                         PyObject* self) {
  CFunctionRecord*& known = by_definition_[definition];
  if (known == nullptr || known->definition_name != definition->ml_name) {
    const ErrorGuard guard;
    auto record = std::make_unique<CFunctionRecord>();
    record->id = CodeRegistry::instance().next_callable_id();
    record->file = "~";
    record->name = record->qualified = profile_name(function, self);
    record->definition = definition;
    record->definition_name = definition->ml_name;
    record->starts_thread = std::strcmp(definition->ml_name, "start_new_thread") == 0;
    known = record.get();
    records_.push_back(std::move(record));
  }
  return cache_[place(definition)] = known;
}

}  // namespace laptime::python
