// A table that grows on demand and returns a stable pointer for each id.
#pragma once

#include <cstdint>
#include <memory>

namespace laptime::python {

template <typename T>
class PointerTable {
 public:
  T* get(std::uint32_t id) const { return id < size_ ? entries_[id] : nullptr; }
  void set(std::uint32_t id, T* value) {
    if (id >= size_) grow(id);
    entries_[id] = value;
  }
  std::uint32_t size() const { return size_; }

 private:
  void grow(std::uint32_t id) {
    const std::uint32_t size = id + 1 + id / 2 + 64;
    auto grown = std::make_unique<T*[]>(size);
    for (std::uint32_t i = 0; i < size_; ++i) grown[i] = entries_[i];
    entries_ = std::move(grown);
    size_ = size;
  }

  std::unique_ptr<T*[]> entries_;
  std::uint32_t size_ = 0;
};

}  // namespace laptime::python
