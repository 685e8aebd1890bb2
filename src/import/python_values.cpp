#include "import/python_values.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace laptime {

// Numbers and sizes have 32 bits. More counts as an exceeded budget.
bool PythonValues::fits(std::size_t size) { return size < UINT32_MAX || budget_->take(UINT64_MAX); }

PythonValues::Id PythonValues::add(PythonType type, std::uint64_t payload) {
  if (!fits(values_.size()) || !budget_->make_room(values_)) return 0;
  values_.push_back({type, payload});
  return static_cast<Id>(values_.size() - 1);
}

PythonValues::Id PythonValues::add_container(PythonType type, Items items) {
  if (!fits(items.size()) || !budget_->make_room(containers_) ||
      !budget_->make_room(items_, items.size()))
    return 0;
  const auto size = static_cast<std::uint32_t>(items.size());
  containers_.push_back({items_.size(), size, size});
  items_.insert(items_.end(), items.begin(), items.end());
  return add(type, containers_.size() - 1);
}

PythonValues::Id PythonValues::add_real(double value) {
  return add(PythonType::real, std::bit_cast<std::uint64_t>(value));
}

PythonValues::Id PythonValues::add_text(std::string_view text) {
  if (!budget_->make_room(texts_)) return 0;
  texts_.push_back(text);
  return add(PythonType::text, texts_.size() - 1);
}

bool PythonValues::relocate(Container& held, std::size_t capacity) {
  if (!budget_->make_room(items_, capacity)) return false;
  const std::size_t begin = items_.size();
  items_.resize(begin + capacity);
  std::copy_n(items_.begin() + static_cast<std::ptrdiff_t>(held.begin), held.size,
              items_.begin() + static_cast<std::ptrdiff_t>(begin));
  held.begin = begin;
  held.capacity = static_cast<std::uint32_t>(capacity);
  return true;
}

void PythonValues::append_items(Id id, Items more) {
  Container& held = containers_[values_[id].payload];
  const std::size_t size = held.size + more.size();
  if (size > held.capacity) {
    // A container's first items are mostly all of its items.
    const std::size_t capacity = held.size == 0 ? size : std::max(size, 2 * std::size_t{held.size});
    if (!fits(capacity) || !relocate(held, capacity)) return;
  }
  std::copy(more.begin(), more.end(),
            items_.begin() + static_cast<std::ptrdiff_t>(held.begin + held.size));
  held.size = static_cast<std::uint32_t>(size);
}

void PythonValues::set_state(Id instance, Id state) {
  containers_[values_[instance].payload].size = 0;
  append_items(instance, Items(&state, 1));
}

double PythonValues::real(Id id) const { return std::bit_cast<double>(values_[id].payload); }

}  // namespace laptime
