// A vector for bulk data. Assumption: the caller of resize writes every element before reading it.
// Consequence: resize(n) does not zero (resize(n, v) still fills), so the decoder touches each page
// first, on its own core. Large vectors use huge pages, which avoids most page faults.
#pragma once

#include <sys/mman.h>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace laptime {

template <typename T>
struct BulkAllocator {
  using value_type = T;
  static constexpr std::size_t kHugePage = 2u << 20;
  static constexpr std::size_t kLarge =
      4 * kHugePage;  // below it a huge page wastes more than it saves

  BulkAllocator() = default;
  template <typename U>
  BulkAllocator(const BulkAllocator<U>&) noexcept {}

  T* allocate(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    void* const p = ::operator new(bytes, alignment(bytes));
    if (bytes >= kLarge)
      ::madvise(p, bytes / kHugePage * kHugePage,
                MADV_HUGEPAGE);  // a hint: refusal changes nothing
    return static_cast<T*>(p);
  }
  void deallocate(T* p, std::size_t n) noexcept { ::operator delete(p, alignment(n * sizeof(T))); }

  template <typename U>
  void construct(U* p) noexcept {
    ::new (static_cast<void*>(p)) U;
  }
  template <typename U, typename... Args>
  void construct(U* p, Args&&... args) {
    ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
  }
  friend bool operator==(const BulkAllocator&, const BulkAllocator&) { return true; }

 private:
  static std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t{bytes >= kLarge ? kHugePage : alignof(std::max_align_t)};
  }
};

template <typename T>
using BulkVector = std::vector<T, BulkAllocator<T>>;

}  // namespace laptime
