#include "import/python_values.h"

#include <bit>
#include <utility>

namespace laptime {

PythonValues::Id PythonValues::add(PythonType type, std::uint64_t payload) {
  values_.push_back({type, payload});
  return static_cast<Id>(values_.size() - 1);
}

PythonValues::Id PythonValues::add_container(PythonType type, Items items) {
  containers_.push_back(std::move(items));
  return add(type, containers_.size() - 1);
}

PythonValues::Id PythonValues::add_real(double value) {
  return add(PythonType::real, std::bit_cast<std::uint64_t>(value));
}

PythonValues::Id PythonValues::add_text(std::string_view text) {
  texts_.push_back(text);
  return add(PythonType::text, texts_.size() - 1);
}

PythonValues::Id PythonValues::add_sequence(Items items) {
  return add_container(PythonType::sequence, std::move(items));
}

PythonValues::Id PythonValues::add_map() { return add_container(PythonType::map, {}); }

double PythonValues::real(Id id) const { return std::bit_cast<double>(values_[id].payload); }

}  // namespace laptime
