#include "collect/jax/python/seen_functions.h"

#include "record/collector.h"

namespace laptime::jax {

void SeenFunctions::add(const PyObject* object, const std::string& name, Code code,
                        std::uint64_t static_arguments) {
  const std::uint32_t number = number_of(name, code);
  by_address_[object] = {kinds_[number].name, number, static_arguments};
}

std::uint32_t SeenFunctions::number_of(const std::string& name, Code code) {
  if (const auto known = numbers_.find({name, code}); known != numbers_.end()) return known->second;
  const auto number_of_name = code != nullptr ? number_of(name, nullptr) : kinds_.size();
  const auto number = static_cast<std::uint32_t>(kinds_.size());
  numbers_.emplace(std::pair(name, code), number);
  kinds_.push_back({record::intern(name), static_cast<std::uint32_t>(number_of_name)});
  return number;
}

}  // namespace laptime::jax
