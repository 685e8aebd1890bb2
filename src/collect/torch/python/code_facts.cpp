#include "collect/torch/python/code_facts.h"

#include <algorithm>
#include <span>

#include "collect/torch/line_table.h"
#include "record/collector.h"

namespace laptime::torch {

namespace {

// PyUnicode_AsUTF8 would write into the object. So a compact string's characters are read directly.
void append_utf8(std::string& out, Py_UCS4 c) {
  const bool is_byte_of_file_name = c >= 0xDC80 && c <= 0xDCFF;  // a byte that is not UTF-8
  if (c < 0x80 || is_byte_of_file_name) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

std::string utf8_of(PyObject* object) {
  std::string text;
  if (object == nullptr || !PyUnicode_Check(object) || !PyUnicode_IS_READY(object)) return text;
  const Py_ssize_t length = PyUnicode_GET_LENGTH(object);
  text.reserve(static_cast<std::size_t>(length));
  for (Py_ssize_t i = 0; i < length; ++i) append_utf8(text, PyUnicode_READ_CHAR(object, i));
  return text;
}

std::string name_of(const PyCodeObject* code) {
#if PY_VERSION_HEX >= 0x030B0000
  return utf8_of(code->co_qualname);
#else
  return utf8_of(code->co_name);
#endif
}

}  // namespace

std::string file_of(const PyCodeObject* code) { return utf8_of(code->co_filename); }

std::int32_t line_of(const PyCodeObject* code, int instruction) {
  auto* const table = reinterpret_cast<PyBytesObject*>(code->co_linetable);
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(table->ob_sval),
                                            static_cast<std::size_t>(Py_SIZE(table)));
#if PY_VERSION_HEX >= 0x030B0000
  return line_since_3_11(bytes, code->co_firstlineno, 2 * instruction);
#else
  return line_in_3_10(bytes, code->co_firstlineno, 2 * instruction);
#endif
}

bool is_generated(const PyCodeObject* code) {
  auto* const names = reinterpret_cast<PyTupleObject*>(code->co_names);
  const std::span<PyObject* const> all(names->ob_item, static_cast<std::size_t>(Py_SIZE(names)));
  return std::any_of(all.begin(), all.end(),
                     [](PyObject* name) { return utf8_of(name).starts_with("__compiled_fn_"); });
}

std::uint32_t CodeFacts::id_of(const PyCodeObject* code) {
  return id_of(file_of(code), name_of(code), code->co_firstlineno);
}

std::uint32_t CodeFacts::id_of(const std::string& file, const std::string& name, int first_line) {
  std::uint32_t& id = ids_[{file, name, first_line}];
  if (id == 0) id = record::add_code(file, name, static_cast<std::uint32_t>(first_line), 0);
  return id;
}

}  // namespace laptime::torch
