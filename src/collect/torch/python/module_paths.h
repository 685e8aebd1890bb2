// Names of nn.Modules: from the instance that a frame calls to its path in its model
// ("Net.encoder.0").
//
// Assumption: an instance is met without the GIL, when nothing about it may be asked. Consequence:
// it gets a number at once, and its path later, when the GIL is held, from the modules that live
// then. An instance that is gone by then is known by its class. Contract: numbers are never used
// again; an address that is gets a new number, because a weak reference watches each instance whose
// path is known.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace laptime::torch {

// The caller keeps others out; no call here touches Python.
class ModuleNumbers {
 public:
  using Number = std::uint32_t;  // from 1; 0: no module

  struct Module {
    const PyObject* instance;
    const PyTypeObject* type;
    std::string class_name;
    std::uint32_t name = 0;  // record::intern; 0: not known yet
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
      short_lived_;  // classes, by how many instances were gone too early
};

// A module got a child. Told of all while a program builds its models, find_paths need not search
// all objects. GIL held.
void note_parent(PyObject* module);

using ModuleGone = void (*)(const PyObject* instance);

// The path of each module that lives, empty for the others; the living ones are watched from now
// on, and `gone` is called when they go. Contract: `gone` is the same in each call. With the GIL,
// and no lock held: the garbage collector may run here, and with it code of the program's that ends
// objects.
std::vector<std::string> find_paths(const std::vector<ModuleNumbers::Module>& modules,
                                    PyObject* module_type, ModuleGone gone);

}  // namespace laptime::torch
