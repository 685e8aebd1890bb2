// A column that only some rows of a table have: their numbers, which rise, and a value for each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace laptime {

template <typename T>
struct SideColumn {
  std::vector<std::uint32_t> row;
  std::vector<T> value;

  std::size_t size() const { return row.size(); }
  bool empty() const { return row.empty(); }
  // Assumption: no row added before is larger. A second value for a row replaces the first.
  void add(std::uint32_t at, const T& v) {
    if (!row.empty() && row.back() == at) {
      value.back() = v;
      return;
    }
    row.push_back(at);
    value.push_back(v);
  }
  void append(const SideColumn& other, std::uint32_t shift) {
    row.reserve(row.size() + other.size());
    for (const std::uint32_t r : other.row) row.push_back(shift + r);
    value.insert(value.end(), other.value.begin(), other.value.end());
  }
  // Null where the row has none.
  const T* find(std::uint32_t at) const {
    const auto it = std::lower_bound(row.begin(), row.end(), at);
    return it != row.end() && *it == at ? &value[static_cast<std::size_t>(it - row.begin())]
                                        : nullptr;
  }
  T value_or(std::uint32_t at, const T& other) const {
    const T* const found = find(at);
    return found ? *found : other;
  }

  // Finds the values of rows; rows in rising order cost no search.
  class Cursor {
   public:
    explicit Cursor(const SideColumn& column) : column_(&column) {}
    const T* find(std::uint32_t at) {
      const std::vector<std::uint32_t>& row = column_->row;
      if (next_ > 0 && row[next_ - 1] >= at)
        next_ =
            static_cast<std::size_t>(std::lower_bound(row.begin(), row.end(), at) - row.begin());
      while (next_ < row.size() && row[next_] < at) ++next_;
      return next_ < row.size() && row[next_] == at ? &column_->value[next_] : nullptr;
    }
    T value_or(std::uint32_t at, const T& other) {
      const T* const found = find(at);
      return found ? *found : other;
    }

   private:
    const SideColumn* column_;
    std::size_t next_ = 0;
  };
  Cursor cursor() const { return Cursor(*this); }
};

}  // namespace laptime
