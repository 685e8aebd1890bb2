#include "collect/python/code/command_code.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace laptime::python {

namespace {

std::vector<std::uint64_t> known;  // identities, sorted

// Hashes only what the interpreter never changes, so each compilation of a text has the same
// identity.
std::uint64_t identity(const PyCodeObject* code) {
  auto* const table = reinterpret_cast<PyBytesObject*>(code->co_linetable);
  const std::string_view lines(table->ob_sval, static_cast<std::size_t>(Py_SIZE(table)));
  std::uint64_t result = std::hash<std::string_view>()(lines);
  for (const std::int64_t fact :
       {std::int64_t{code->co_firstlineno}, std::int64_t{code->co_argcount},
        std::int64_t{code->co_stacksize}, std::int64_t{Py_SIZE(code->co_consts)},
        std::int64_t{Py_SIZE(code->co_names)}})
    result = (result ^ static_cast<std::uint64_t>(fact)) * 0x9E37'79B9'7F4A'7C15;
  return result;
}

void add(PyObject* object) {
  auto* const code = reinterpret_cast<PyCodeObject*>(object);
  known.push_back(identity(code));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_consts); ++i)
    if (PyObject* const inner = PyTuple_GET_ITEM(code->co_consts, i); PyCode_Check(inner))
      add(inner);
}

}  // namespace

void set_command_code(PyObject* code) {
  known.clear();
  add(code);
  std::ranges::sort(known);
}

bool is_command_code(const PyCodeObject* code) {
  return !known.empty() && std::ranges::binary_search(known, identity(code));
}

bool has_command_code() { return !known.empty(); }

}  // namespace laptime::python
