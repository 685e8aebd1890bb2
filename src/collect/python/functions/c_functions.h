// C functions as cProfile counts and names them: one record for each PyMethodDef.
//
// Assumption: method definitions are static or outlive the type that holds them. If one is freed
// and its address reused, the name's address distinguishes the two in nearly every case.
#pragma once

#include <Python.h>

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "collect/python/code/code_record.h"

namespace laptime::python {

struct CFunctionRecord : Callable {
  const PyMethodDef* definition = nullptr;
  const char* definition_name = nullptr;
  bool starts_thread = false;
};

class CFunctions {
 public:
  static CFunctions& instance();

  // `function`: a built-in function object. `self`: the object that a method descriptor is called
  // on, else null.
  CFunctionRecord* find(const PyMethodDef* definition, PyObject* function, PyObject* self) {
    CFunctionRecord* cached = cache_[place(definition)];
    if (cached != nullptr && cached->definition == definition &&
        cached->definition_name == definition->ml_name) [[likely]] {
      return cached;
    }
    return find_or_add(definition, function, self);
  }
  const std::vector<std::unique_ptr<CFunctionRecord>>& records() const { return records_; }

 private:
  static constexpr std::size_t kCacheSize = 1024;
  static std::size_t place(const PyMethodDef* d) {
    return reinterpret_cast<std::uintptr_t>(d) / sizeof(PyMethodDef) % kCacheSize;
  }
  CFunctionRecord* find_or_add(const PyMethodDef* definition, PyObject* function, PyObject* self);

  std::array<CFunctionRecord*, kCacheSize> cache_{};
  std::unordered_map<const PyMethodDef*, CFunctionRecord*> by_definition_;
  std::vector<std::unique_ptr<CFunctionRecord>> records_;
};

// The definition of a callable that cProfile would count when called on `self` (null: no argument).
// Null if it would not.
inline const PyMethodDef* c_definition(PyObject* callable, PyObject* self) {
  if (PyCFunction_Check(callable)) return reinterpret_cast<PyCFunctionObject*>(callable)->m_ml;
  if (Py_IS_TYPE(callable, &PyMethodDescr_Type) && self != nullptr) {
    auto* descriptor = reinterpret_cast<PyMethodDescrObject*>(callable);
    // On an object of another type the call fails before it reaches the function.
    return PyObject_TypeCheck(self, descriptor->d_common.d_type) ? descriptor->d_method : nullptr;
  }
  return nullptr;
}

}  // namespace laptime::python
