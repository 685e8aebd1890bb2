#include "collect/jax/python/seen_functions.h"

#include "record/collector.h"

namespace laptime::jax {

void SeenFunctions::add(const PyObject* object, const std::string& name, Code code,
                        std::uint64_t static_arguments) {
  const std::uint32_t number = number_of(name, code);
  by_address_[object] = {kinds_[number].name, number, static_arguments};
}

std::uint32_t SeenFunctions::number_of(const std::string& name, Code code) {
  const auto [at, is_new] =
      numbers_.try_emplace({name, code}, static_cast<std::uint32_t>(kinds_.size()));
  if (is_new) kinds_.push_back({record::intern(name)});
  return at->second;
}

}  // namespace laptime::jax
