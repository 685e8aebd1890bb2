// Opens the library that was compiled against the installed torch. It stays open as long as the
// process lives, because torch may call it at any time.
#pragma once

#include <dlfcn.h>
#include <stdexcept>
#include <string>

namespace laptime::torch {

// Throws std::runtime_error, for Python.
template <typename Function>
Function find_in_shim(const std::string& path, const char* name) {
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) throw std::runtime_error(::dlerror());
  const auto found = reinterpret_cast<Function>(::dlsym(library, name));
  if (found == nullptr) throw std::runtime_error(std::string("no ") + name + " in " + path);
  return found;
}

}  // namespace laptime::torch
