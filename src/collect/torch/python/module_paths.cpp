#include "collect/torch/python/module_paths.h"

#include <algorithm>

#include "collect/torch/python/places.h"
#include "record/collector.h"

namespace laptime::torch {

using python::OwnedRef;

namespace {

// A class whose instances come and go is known by its name alone after so many of them.
constexpr std::uint32_t kShortLived = 8;
constexpr int kDeepest = 64;

std::string text_of(PyObject* object) {
  const char* text = PyUnicode_Check(object) ? PyUnicode_AsUTF8(object) : nullptr;
  if (text == nullptr) PyErr_Clear();
  return text != nullptr ? text : "?";
}

OwnedRef all_objects() {
  const OwnedRef gc(PyImport_ImportModule("gc"));
  OwnedRef objects(gc ? PyObject_CallMethod(gc.get(), "get_objects", nullptr) : nullptr);
  if (!objects || !PyList_Check(objects.get())) return OwnedRef();
  return objects;
}

// The generic lookup: no __getattr__ or __getattribute__ of the program's runs.
OwnedRef children_of(PyObject* module) {
  const OwnedRef name(PyUnicode_InternFromString("_modules"));
  OwnedRef children(name ? PyObject_GenericGetAttr(module, name.get()) : nullptr);
  if (!children) PyErr_Clear();
  return children && PyDict_Check(children.get()) ? std::move(children) : OwnedRef();
}

PyObject* on_death(PyObject* address, PyObject*) {
  forget_module(static_cast<const PyObject*>(PyLong_AsVoidPtr(address)));
  Py_RETURN_NONE;
}
PyMethodDef on_death_method{"laptime_module_gone", &on_death, METH_O, nullptr};

}  // namespace

void ModulePaths::configure(PyObject* module_type) {
  Py_XINCREF(module_type);
  module_type_ = OwnedRef(module_type);
}

ModulePaths::Number ModulePaths::number_of(const PyObject* instance) {
  if (instance == nullptr || Py_TYPE(instance) == &PyCell_Type) return 0;
  Number& number = numbers_[instance];
  if (number != 0 && modules_[number - 1].type == Py_TYPE(instance)) return number;
  Module module{instance, Py_TYPE(instance), Py_TYPE(instance)->tp_name};
  const auto known = short_lived_.find(module.class_name);
  const bool by_class = known != short_lived_.end() && known->second >= kShortLived;
  if (by_class) module.name = record::intern(module.class_name);
  modules_.push_back(std::move(module));
  number = static_cast<Number>(modules_.size());
  if (!by_class) unnamed_.push_back(number);
  return number;
}

ModulePaths::Paths ModulePaths::paths_of_living() const {
  const python::ErrorGuard guard;
  Paths paths;
  const OwnedRef objects = all_objects();
  if (!objects || !module_type_) return paths;
  auto* const type = reinterpret_cast<PyTypeObject*>(module_type_.get());
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(objects.get()); ++i) {
    PyObject* const object = PyList_GET_ITEM(objects.get(), i);
    if (!PyType_IsSubtype(Py_TYPE(object), type)) continue;
    paths.try_emplace(object);
    const OwnedRef children = children_of(object);
    PyObject *key = nullptr, *child = nullptr;
    for (Py_ssize_t at = 0; children && PyDict_Next(children.get(), &at, &key, &child);)
      if (Living& living = paths[child]; living.parent == nullptr) living = {text_of(key), object};
  }
  return paths;
}

void ModulePaths::give_name(Number number, const Paths& paths) {
  Module& module = modules_[number - 1];
  auto living = paths.find(module.instance);
  if (living == paths.end() || Py_TYPE(module.instance) != module.type) {
    ++short_lived_[module.class_name];
    module.name = record::intern(module.class_name);
    if (const auto known = numbers_.find(module.instance); known != numbers_.end() && known->second == number) numbers_.erase(known);
    return;
  }
  watch(module);
  std::vector<std::string> steps;
  const PyObject* root = module.instance;
  for (; living != paths.end() && living->second.parent != nullptr && steps.size() < kDeepest; living = paths.find(root)) {
    steps.push_back(living->second.step);
    root = living->second.parent;
  }
  std::string path = Py_TYPE(root)->tp_name;
  std::for_each(steps.rbegin(), steps.rend(), [&](const std::string& step) { path += "." + step; });
  module.name = record::intern(path);
}

void ModulePaths::watch(Module& module) {
  const python::ErrorGuard guard;
  const OwnedRef address(PyLong_FromVoidPtr(const_cast<PyObject*>(module.instance)));
  const OwnedRef callback(address ? PyCFunction_New(&on_death_method, address.get()) : nullptr);
  // Kept for good by design: a weak reference must outlive what it watches to call back.
  if (callback) OwnedRef(PyWeakref_NewRef(const_cast<PyObject*>(module.instance), callback.get())).release();
  PyErr_Clear();
}

void ModulePaths::forget(const PyObject* instance) { numbers_.erase(instance); }

}  // namespace laptime::torch
