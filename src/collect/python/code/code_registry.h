// Finds the record of a code object. co_extra holds it, so the usual lookup is two loads without a
// hash.
#pragma once

#include <Python.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "collect/python/code/code_record.h"

namespace laptime::python {

// The interpreter's private header of co_extra. It is the same from 3.10 to 3.13, and initialise()
// verifies it.
struct CodeExtraLayout {
  Py_ssize_t size;
  void* slots[1];
};

class CodeRegistry {
 public:
  // Never destroyed: code objects are freed until the interpreter's very end.
  static CodeRegistry& instance();

  // Gets a co_extra index and checks that it can be read directly. False: the engines stay off.
  bool initialise();

  static CodeRecord* find(PyObject* code) {
    const auto* extra =
        static_cast<const CodeExtraLayout*>(reinterpret_cast<PyCodeObject*>(code)->co_extra);
    if (extra == nullptr || extra->size <= extra_index_) [[unlikely]]
      return nullptr;
    return static_cast<CodeRecord*>(extra->slots[extra_index_]);
  }
  CodeRecord* find_or_add(PyObject* code) {
    CodeRecord* record = find(code);
    return record != nullptr && !record->shared_library_mark ? record : add(code);
  }
  // Remembers only the verdict: all library code of one classification shares one mark.
  void mark_library(PyObject* code, std::uint32_t generation);

  const std::vector<std::unique_ptr<CodeRecord>>& records() const { return records_; }
  std::uint32_t next_callable_id() { return next_id_++; }

 private:
  CodeRecord* add(PyObject* code);
  CodeRecord* adopt_dead(const CodeRecord& like);
  static void forget(void* record);

  static inline Py_ssize_t extra_index_ = -1;
  CodeRecord* library_mark_ = nullptr;
  std::vector<std::unique_ptr<CodeRecord>> records_;
  std::unordered_multimap<std::string, CodeRecord*> dead_;  // by identity
  std::uint32_t next_id_ = 0;
};

// Slot of the line of the instruction at `byte_offset`. kEntrySlot if it has none.
std::uint32_t slot_at_instruction(CodeRecord& record, std::int64_t byte_offset);
std::uint32_t slot_of_line(const CodeRecord& record, int line);

// Computes which lines belong to one statement. `first_lines`: by line of the file, the first line
// of its statement, negative if that is a loop with its body on the same line. Empty if nothing is
// known.
void join_statements(CodeRecord& record, const std::vector<int>& first_lines);

}  // namespace laptime::python
