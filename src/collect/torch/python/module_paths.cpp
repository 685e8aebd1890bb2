#include "collect/torch/python/module_paths.h"

#include <algorithm>

#include "collect/python/interpreter/python_support.h"
#include "record/collector.h"

namespace laptime::torch {

using python::OwnedRef;

namespace {

// After this many short-lived instances, a class is known by its name alone.
constexpr std::uint32_t kShortLived = 256;
constexpr std::size_t kDeepest = 64;

struct Living {
  std::string step;  // its name in its parent
  const PyObject* parent = nullptr;
};
using LivingModules = std::unordered_map<const PyObject*, Living>;

std::string child_name(PyObject* object) {
  const char* text = PyUnicode_Check(object) ? PyUnicode_AsUTF8(object) : nullptr;
  if (text == nullptr) PyErr_Clear();
  return text != nullptr ? text : "?";
}

// Modules that got children while laptime watched, as weak references. Never destroyed: the
// interpreter ends first.
class KnownParents {
 public:
  static KnownParents& instance() {
    static auto* known = new KnownParents;
    return *known;
  }
  // A model adds its children one after the other, so most calls are for the same parent again. A
  // reused address may be left out by this. Then all objects are searched.
  void add(PyObject* module) {
    if (module == latest_) return;
    latest_ = module;
    OwnedRef reference(PyWeakref_NewRef(module, nullptr));
    if (!reference) PyErr_Clear();
    if (reference) references_.push_back(std::move(reference));
    if (references_.size() >= drop_dead_at_) drop_dead();
  }
  // The living ones, as a list that keeps them alive. The garbage collector may run here, and its
  // code may add some.
  OwnedRef living() {
    OwnedRef list(PyList_New(0));
    for (OwnedRef& reference : std::exchange(references_, {})) {
      const OwnedRef module = living_module(reference);
      if (!list || !module || PyList_Append(list.get(), module.get()) != 0) continue;
      references_.push_back(std::move(reference));
    }
    return list;
  }

 private:
  static constexpr std::size_t kFew = 1024;

  static OwnedRef living_module(const OwnedRef& reference) {
    OwnedRef module(PyObject_CallNoArgs(reference.get()));
    return module && module.get() != Py_None ? std::move(module) : OwnedRef();
  }
  // For a program that always makes modules and never needs the living ones. Runs no code of the
  // program.
  void drop_dead() {
    std::erase_if(references_, [](const OwnedRef& reference) { return !living_module(reference); });
    drop_dead_at_ = std::max(kFew, 2 * references_.size());
  }

  std::vector<OwnedRef> references_;
  std::size_t drop_dead_at_ = kFew;
  const PyObject* latest_ = nullptr;
};

OwnedRef all_objects() {
  const OwnedRef gc(PyImport_ImportModule("gc"));
  OwnedRef objects(gc ? PyObject_CallMethod(gc.get(), "get_objects", nullptr) : nullptr);
  if (!objects || !PyList_Check(objects.get())) return OwnedRef();
  return objects;
}

// The generic lookup: does not run the program's __getattr__ or __getattribute__.
OwnedRef children_of(PyObject* module) {
  const OwnedRef name(PyUnicode_InternFromString("_modules"));
  OwnedRef children(name ? PyObject_GenericGetAttr(module, name.get()) : nullptr);
  if (!children) PyErr_Clear();
  return children && PyDict_Check(children.get()) ? std::move(children) : OwnedRef();
}

// `objects` keeps them alive as long as the caller needs them.
LivingModules living_modules(PyObject* objects, PyTypeObject* module_type) {
  LivingModules living;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(objects); ++i) {
    PyObject* const object = PyList_GET_ITEM(objects, i);
    if (!PyType_IsSubtype(Py_TYPE(object), module_type)) continue;
    living.try_emplace(object);
    const OwnedRef children = children_of(object);
    PyObject *key = nullptr, *child = nullptr;
    for (Py_ssize_t at = 0; children && PyDict_Next(children.get(), &at, &key, &child);)
      if (Living& entry = living[child]; entry.parent == nullptr) entry = {child_name(key), object};
  }
  return living;
}

std::string path_of(const PyObject* instance, const LivingModules& living) {
  std::vector<std::string> steps;
  const PyObject* root = instance;
  for (auto at = living.find(root);
       at != living.end() && at->second.parent != nullptr && steps.size() < kDeepest;
       at = living.find(root)) {
    steps.push_back(at->second.step);
    root = at->second.parent;
  }
  std::string path = Py_TYPE(root)->tp_name;
  std::for_each(steps.rbegin(), steps.rend(), [&](const std::string& step) { path += "." + step; });
  return path;
}

ModuleGone module_gone = nullptr;

PyObject* on_death(PyObject* address, PyObject*) {
  module_gone(static_cast<const PyObject*>(PyLong_AsVoidPtr(address)));
  Py_RETURN_NONE;
}
PyMethodDef on_death_method{"laptime_module_gone", &on_death, METH_O, nullptr};

void watch(const PyObject* instance) {
  auto* const object = const_cast<PyObject*>(instance);
  const OwnedRef address(PyLong_FromVoidPtr(object));
  const OwnedRef callback(address ? PyCFunction_New(&on_death_method, address.get()) : nullptr);
  // Never released: a weak reference must outlive its object to call back.
  if (callback) OwnedRef(PyWeakref_NewRef(object, callback.get())).release();
  PyErr_Clear();
}

// Whether all have a path now.
bool find_among(const OwnedRef& objects, const std::vector<ModuleNumbers::Module>& modules,
                PyTypeObject* type, std::vector<std::string>& paths) {
  if (!objects) return false;
  const LivingModules living = living_modules(objects.get(), type);
  bool all = true;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const PyObject* const instance = modules[i].instance;
    if (!paths[i].empty()) continue;
    if (living.contains(instance) && Py_TYPE(instance) == modules[i].type) {
      paths[i] = path_of(instance, living);
      watch(instance);
    }
    all &= !paths[i].empty();
  }
  return all;
}

}  // namespace

ModuleNumbers::Number ModuleNumbers::number_of(const PyObject* instance) {
  if (instance == nullptr || Py_TYPE(instance) == &PyCell_Type) return 0;
  Number& number = numbers_[instance];
  if (number != 0 && module(number).type == Py_TYPE(instance)) return number;
  Module fresh{instance, Py_TYPE(instance), Py_TYPE(instance)->tp_name};
  const auto known = short_lived_.find(fresh.class_name);
  const bool by_class = known != short_lived_.end() && known->second >= kShortLived;
  if (by_class) fresh.name = record::intern(fresh.class_name);
  modules_.push_back(std::move(fresh));
  number = static_cast<Number>(modules_.size());
  if (!by_class) unnamed_.push_back(number);
  return number;
}

void ModuleNumbers::give_name(Number number, const std::string& path) {
  Module& module = modules_[number - 1];
  unnamed_.erase(std::remove(unnamed_.begin(), unnamed_.end(), number), unnamed_.end());
  module.name = record::intern(path.empty() ? module.class_name : path);
  if (!path.empty()) return;
  ++short_lived_[module.class_name];
  if (const auto known = numbers_.find(module.instance);
      known != numbers_.end() && known->second == number)
    numbers_.erase(known);
}

void note_parent(PyObject* module) { KnownParents::instance().add(module); }

std::vector<std::string> find_paths(const std::vector<ModuleNumbers::Module>& modules,
                                    PyObject* module_type, ModuleGone gone) {
  module_gone = gone;
  const python::ErrorGuard guard;
  std::vector<std::string> paths(modules.size());
  auto* const type = reinterpret_cast<PyTypeObject*>(module_type);
  if (type == nullptr) return paths;
  if (!find_among(KnownParents::instance().living(), modules, type, paths))
    find_among(all_objects(), modules, type, paths);
  return paths;
}

}  // namespace laptime::torch
