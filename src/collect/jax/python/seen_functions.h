// The jitted functions whose calls are seen, by the address of the object that the program calls.
//
// Assumption: the GIL is held. An address may be reused: then the function there is added again.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace laptime::jax {

struct SeenFunction {
  std::uint32_t name = 0;    // interned
  std::uint32_t number = 0;  // of its name and code: the program may make a function many times
  std::uint64_t static_arguments = 0;  // bit n: argument n
};

class SeenFunctions {
 public:
  using Code = const void*;  // null: unknown

  // Code null: a program that was compiled ahead of its calls. It is known by its name.
  std::uint32_t number_of(const std::string& name, Code code);
  void add(const PyObject* object, const std::string& name, Code code,
           std::uint64_t static_arguments);
  // Null: not seen.
  const SeenFunction* find(const PyObject* object) const {
    const auto at = by_address_.find(object);
    return at == by_address_.end() ? nullptr : &at->second;
  }
  // Also what was compiled from it ahead of its calls.
  void differentiate(std::uint32_t number) {
    kinds_[number].is_differentiated = true;
    kinds_[kinds_[number].without_code].is_differentiated = true;
  }
  bool is_differentiated(std::uint32_t number) const { return kinds_[number].is_differentiated; }

 private:
  struct Kind {
    std::uint32_t name;
    std::uint32_t without_code;  // the number of the name alone
    bool is_differentiated = false;
  };

  std::unordered_map<const PyObject*, SeenFunction> by_address_;
  std::map<std::pair<std::string, Code>, std::uint32_t> numbers_;
  std::vector<Kind> kinds_;
};

}  // namespace laptime::jax
