// Names of nn.Modules: from the instance that a frame calls to its path in its model ("Net.encoder.0").
//
// Assumption: an instance is met without the GIL, when nothing about it may be asked. Consequence: it gets a number at once,
// and its path later, when the GIL is held, from the modules that live then. An instance that is gone by then is known by
// its class. Contract: numbers are never used again; an address that is gets a new number, because a weak reference watches
// each instance whose path is known.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collect/python/python_support.h"

namespace laptime::torch {

class ModulePaths {
 public:
  struct Path {
    std::uint32_t name;  // record::intern; 0: not known yet
  };
  using Number = std::uint32_t;  // from 1; 0: no module

  // `module_type`: torch.nn.Module (borrowed; kept alive). With the GIL.
  void configure(PyObject* module_type);

  // Without the GIL; the caller keeps others out.
  Number number_of(const PyObject* instance);
  std::uint32_t name_of(Number number) const { return number == 0 ? 0 : modules_[number - 1].name; }

  bool has_unnamed() const { return !unnamed_.empty(); }
  // With the GIL, and others kept out by `guard` where tables change. Calls named(number) for each that got its name.
  // Runs no code of the program's.
  template <typename Named>
  void name_all(Named named) {
    const Paths paths = paths_of_living();
    for (const Number number : unnamed_) {
      give_name(number, paths);
      named(number);
    }
    unnamed_.clear();
  }
  // The instance at this address is gone.
  void forget(const PyObject* instance);

 private:
  struct Module {
    const PyObject* instance;
    const PyTypeObject* type;
    std::string class_name;
    std::uint32_t name = 0;
  };
  struct Living {
    std::string step;              // its name in its parent
    const PyObject* parent = nullptr;
  };
  using Paths = std::unordered_map<const PyObject*, Living>;

  Paths paths_of_living() const;
  void give_name(Number number, const Paths& paths);
  void watch(Module& module);

  python::OwnedRef module_type_;
  std::vector<Module> modules_;
  std::unordered_map<const PyObject*, Number> numbers_;
  std::vector<Number> unnamed_;
  std::unordered_map<std::string, std::uint32_t> short_lived_;  // classes, by how many instances were gone too early
};

}  // namespace laptime::torch
