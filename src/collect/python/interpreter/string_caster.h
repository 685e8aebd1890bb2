// std::string in bound functions, in place of <nanobind/stl/string.h>, which refuses lone
// surrogates and bytes that are not UTF-8. Contract: every source of the module that binds strings
// includes this header.
#pragma once

#include <nanobind/nanobind.h>
#include <string>

#include "collect/python/interpreter/python_text.h"

NAMESPACE_BEGIN(NB_NAMESPACE)
NAMESPACE_BEGIN(detail)

template <>
struct type_caster<std::string> {
  NB_TYPE_CASTER(std::string, const_name("str"))

  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    if (!PyUnicode_Check(source.ptr())) return false;
    value = laptime::python::bytes_of(source.ptr());
    return true;
  }

  static handle from_cpp(const std::string& text, rv_policy, cleanup_list*) noexcept {
    return laptime::python::text_from(text);
  }
};

NAMESPACE_END(detail)
NAMESPACE_END(NB_NAMESPACE)
