// What all calls of a table's row agree on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace laptime {

// A value that all calls have.
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

// An id that all calls have; 0 where they differ. Fast: it is called once a span.
class CommonId {
 public:
  void add(std::uint32_t id) { id_ = id_ == kNothing || id_ == id ? id : 0; }
  // All that the other one was given.
  void add(const CommonId& other) {
    if (other.id_ != kNothing) add(other.id_);
  }
  std::uint32_t id() const { return id_ == kNothing ? 0 : id_; }

 private:
  static constexpr std::uint32_t kNothing = ~0u;
  std::uint32_t id_ = kNothing;
};

// The innermost module that all calls are in.
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
