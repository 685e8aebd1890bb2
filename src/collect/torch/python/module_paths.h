// Names of nn.Modules: from the instance that a frame calls to its path in its model
// ("Net.encoder.0").
//
// Assumption: an instance is met without the GIL, so nothing about it can be queried. Consequence:
// it gets a number at once. Its path is found later, with the GIL, from the modules that are alive
// then. An instance that is gone by then is known by its class. Contract: numbers are never reused.
// A weak reference watches each instance whose path is known, so a reused address gets a new
// number.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace laptime::torch {

// Not synchronized: the caller locks. No call here touches Python.
class ModuleNumbers {
 public:
  using Number = std::uint32_t;  // from 1; 0: no module

  struct Module {
    const PyObject* instance;
    const PyTypeObject* type;
    std::string class_name;
    std::uint32_t name = 0;  // record::intern; 0: unknown
  };

  Number number_of(const PyObject* instance);
  const Module& module(Number number) const { return modules_[number - 1]; }
  std::uint32_t name_of(Number number) const { return number == 0 ? 0 : module(number).name; }

  const std::vector<Number>& unnamed() const { return unnamed_; }
  // `path`: empty when the instance is gone.
  void give_name(Number number, const std::string& path);
  // The instance at this address is gone.
  void forget(const PyObject* instance) { numbers_.erase(instance); }

 private:
  std::vector<Module> modules_;
  std::unordered_map<const PyObject*, Number> numbers_;
  std::vector<Number> unnamed_;
  std::unordered_map<std::string, std::uint32_t>
      short_lived_;  // classes, and how many instances were gone too early
};

// A module got a child. If all children are reported while a program builds its models, find_paths
// need not search all objects. Contract: the GIL is held.
void note_parent(PyObject* module);

using ModuleGone = void (*)(const PyObject* instance);

// The path of each module that is alive, empty for the others. The living ones are watched from now
// on; `gone` is called when they are destroyed. Contract: `gone` is the same in each call, the GIL
// is held, and no lock is held. The garbage collector may run here, and with it destructors of the
// program.
std::vector<std::string> find_paths(const std::vector<ModuleNumbers::Module>& modules,
                                    PyObject* module_type, ModuleGone gone);

}  // namespace laptime::torch
