// An id that all that is put into a row of a table have in common, while they do; else 0, unknown.
#pragma once

#include <cstdint>

namespace laptime {

class CommonId {
 public:
  void add(std::uint32_t id) { id_ = id_ == kNothing || id_ == id ? id : 0; }
  // All that the other was given.
  void add(const CommonId& other) {
    if (other.id_ != kNothing) add(other.id_);
  }
  std::uint32_t id() const { return id_ == kNothing ? 0 : id_; }

 private:
  static constexpr std::uint32_t kNothing = ~0u;
  std::uint32_t id_ = kNothing;
};

}  // namespace laptime
