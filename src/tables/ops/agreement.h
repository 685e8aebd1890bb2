// Values that are shown only if all calls of a row agree on them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "trace/code/module_path.h"

namespace laptime {

// The value if all calls have the same one.
template <typename Value>
class Agreed {
 public:
  void add(const Value& value) {
    if (!any_) value_ = value;
    differ_ |= any_ && value_ != value;
    any_ = true;
  }
  Value value_or(const Value& otherwise) const { return any_ && !differ_ ? value_ : otherwise; }

 private:
  Value value_{};
  bool any_ = false, differ_ = false;
};

// The id if all calls have the same one, else 0. It must be fast: it is called for each span.
class CommonId {
 public:
  void add(std::uint32_t id) { id_ = id_ == kNothing || id_ == id ? id : 0; }
  // Adds the calls of `other`.
  void add(const CommonId& other) {
    if (other.id_ != kNothing) add(other.id_);
  }
  std::uint32_t id() const { return id_ == kNothing ? 0 : id_; }

 private:
  static constexpr std::uint32_t kNothing = ~0u;
  std::uint32_t id_ = kNothing;
};

// The innermost module that contains all calls.
class CommonModule {
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
      return at == path.size() || kModuleSeparators.find(path[at]) != std::string_view::npos;
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
