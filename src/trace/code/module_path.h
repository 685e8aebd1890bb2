// Paths of modules: torch writes "encoder.0.attention", TensorFlow and Keras "sequential/dense".
#pragma once

#include <string_view>

namespace laptime {

inline constexpr std::string_view kModuleSeparators = "./";

// The path of the module around it; empty for the outermost.
inline std::string_view enclosing_module(std::string_view path) {
  const std::size_t end = path.find_last_of(kModuleSeparators);
  return end == std::string_view::npos ? std::string_view() : path.substr(0, end);
}

}  // namespace laptime
