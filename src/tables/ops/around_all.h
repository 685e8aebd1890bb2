// The innermost module that all calls of a table's row are in.
#pragma once

#include <algorithm>
#include <string_view>

namespace laptime {

class AroundAll {
 public:
  void add(std::string_view module) {
    if (any_ && module == module_) return;
    module_ = any_ ? common(module_, module) : module;
    any_ = true;
  }
  std::string_view module() const { return module_; }

 private:
  static std::string_view common(std::string_view a, std::string_view b) {
    std::size_t same = 0;
    const auto ends_at = [](std::string_view path, std::size_t at) {
      return at == path.size() || path[at] == '.';
    };
    for (std::size_t i = 0; i <= std::min(a.size(), b.size()); ++i) {
      if (ends_at(a, i) && ends_at(b, i)) same = i;
      if (i < std::min(a.size(), b.size()) && a[i] != b[i]) break;
    }
    return a.substr(0, same);
  }

  std::string_view module_;
  bool any_ = false;
};

}  // namespace laptime
