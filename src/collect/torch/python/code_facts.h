// What the recorder needs of a code object, read without the GIL: a code object never changes.
#pragma once

#include <Python.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace laptime::torch {

std::string file_of(const PyCodeObject* code);
// 0: none. `instruction`: in code units.
std::int32_t line_of(const PyCodeObject* code, int instruction);
// Made by torch.compile from the user's code or in place of it. Its lines belong to no file; the
// caller's lines are used.
bool is_generated(const PyCodeObject* code);

// Ids of codes. Equal for equal file, name and first line.
class CodeFacts {
 public:
  std::uint32_t id_of(const PyCodeObject* code);
  std::uint32_t id_of(const std::string& file, const std::string& name, int first_line);

 private:
  std::map<std::tuple<std::string, std::string, int>, std::uint32_t> ids_;
};

}  // namespace laptime::torch
