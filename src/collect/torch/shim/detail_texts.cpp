#include "collect/torch/shim/detail_texts.h"

#include <ATen/core/ivalue.h>
#include <c10/core/TensorImpl.h>

#include <cmath>
#include <cstdint>
#include <cstdio>

namespace laptime_shim {

namespace {

constexpr std::size_t kMostScalars = 30;  // of a list; torch leaves out longer ones
constexpr std::size_t kLongestText = 1 << 16;

// As torch prints numbers.
std::string double_text(double number) {
  const bool is_whole = std::abs(number) < 1e10 && number == std::trunc(number);
  char text[40];
  if (is_whole)
    std::snprintf(text, sizeof text, "%s%lld.", std::signbit(number) && number == 0 ? "-" : "",
                  static_cast<long long>(number));
  else
    std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}

// A number, a bool or a list of these, as torch's operator<< prints it. No stream is used: a
// compiler that links its own copy of the C++ library makes streams that torch's code, which uses
// the process's copy, must not touch. Other types have no text.
std::string printed(const c10::IValue& value) {
  if (value.isBool()) return value.toBool() ? "True" : "False";
  if (value.isInt()) return std::to_string(value.toInt());
  if (value.isDouble()) return double_text(value.toDouble());
  if (!value.isList()) return "";
  std::string text = "[";
  for (const c10::IValue& element : value.toListRef())
    text += (text.size() > 1 ? ", " : "") + printed(element);
  return text + "]";
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || c == '"') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      result += code;
    } else {
      result += c;
    }
  }
  return result;
}

bool is_scalar_list(const c10::IValue& value) {
  if (!value.isList()) return false;
  const auto elements = value.toListRef();
  if (elements.size() > kMostScalars) return false;
  for (const c10::IValue& element : elements)
    if (!element.isScalar() && !element.isBool()) return false;
  return !elements.empty() || value.isIntList() || value.isDoubleList() || value.isBoolList();
}

std::string value_of(const c10::IValue& value) {
  if (!value.isScalar() && !value.isBool() && !is_scalar_list(value)) return "\"\"";
  return quoted(printed(value));
}

std::string strides_of(const c10::IValue& value) {
  const c10::TensorImpl* const tensor = value.unsafeToTensorImpl();
  if (!value.toTensor().defined() || tensor->is_nested() || tensor->has_symbolic_sizes_strides() ||
      tensor->layout() != c10::kStrided)
    return "[]";
  std::string text = "[";
  for (const std::int64_t stride : tensor->strides())
    text += (text.size() > 1 ? ", " : "") + std::to_string(stride);
  return text + "]";
}

std::string strides_of_input(const c10::IValue& value) {
  if (value.isTensor()) return strides_of(value);
  if (!value.isTensorList() || value.toListRef().size() > kLongestText / 8) return "[]";
  std::string text = "[";
  for (const c10::IValue& tensor : value.toListRef())
    text += (text.size() > 1 ? ", " : "") + strides_of(tensor);
  return text + "]";
}

bool is_string_list(const c10::IValue& value) {
  if (!value.isList()) return false;
  for (const c10::IValue& element : value.toListRef())
    if (!element.isString()) return false;
  return true;
}

// Empty for other types: torch keeps only numbers, strings, bools and lists of strings.
std::string keyword_value(const c10::IValue& value) {
  if (value.isString()) return quoted(value.toStringRef());
  if (value.isBool()) return value.toBool() ? "true" : "false";
  if (value.isInt()) return std::to_string(value.toInt());
  if (value.isDouble()) {
    const std::string text = printed(value);
    return text.find_first_of("ni") != std::string::npos ? quoted(text)
           : text.back() == '.'                          ? text + "0"
                                                         : text;
  }
  if (!is_string_list(value)) return "";
  std::string text = "[";
  for (const c10::IValue& element : value.toListRef())
    text += (text.size() > 1 ? ", " : "") + quoted(element.toStringRef());
  return text + "]";
}

}  // namespace

std::string quoted(const std::string& text) {
  return text.find('"') == std::string::npos ? "\"" + escaped(text) + "\"" : "\"None\"";
}

void add_member(const std::string& key, const std::string& value, std::string& text) {
  if (text.size() + value.size() > kLongestText) return;
  if (!text.empty()) text += ", ";
  text += "\"" + escaped(key) + "\": " + value;
}

void add_inputs(const at::RecordFunction& function, bool values, std::string& text) {
  const auto inputs = function.inputs();
  if (inputs.empty()) return;
  std::string strides = "[", concrete = "[";
  for (const c10::IValue& input : inputs) {
    if (strides.size() > 1) strides += ", ", concrete += ", ";
    strides += strides_of_input(input);
    if (values) concrete += value_of(input);
  }
  add_member("Input Strides", strides + "]", text);
  if (values) add_member("Concrete Inputs", concrete + "]", text);
}

void add_keywords(const at::RecordFunction& function, std::string& text) {
  [&](const auto& known) {
    if constexpr (requires { known.kwinputs(); }) {  // older torch has none
      for (const auto& [key, value] : known.kwinputs()) {
        if ((key == "stream" && !value.isInt()) || (key == "grid" && !value.isString())) continue;
        if (const std::string shown = keyword_value(value); !shown.empty())
          add_member(key, shown, text);
      }
    }
  }(function);
}

}  // namespace laptime_shim
