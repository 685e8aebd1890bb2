// Reads values of the shape that an importer expects. Each function returns nothing for another
// shape.
#pragma once

#include <cstdint>
#include <optional>

#include "import/python_values.h"
#include "import/tally_part.h"

namespace laptime {

class PythonShape {
 public:
  using Id = PythonValues::Id;
  using Items = PythonValues::Items;

  explicit PythonShape(const PythonValues& values) : values_(values) {}

  std::optional<Items> map(Id id) const {
    return values_.is(id, PythonType::map) ? std::optional(values_.items(id)) : std::nullopt;
  }
  std::optional<Items> sequence(Id id) const {
    return values_.is(id, PythonType::sequence) ? std::optional(values_.items(id)) : std::nullopt;
  }
  std::optional<Items> sequence(Id id, std::size_t size) const {
    const auto items = sequence(id);
    return items && items->size() == size ? items : std::nullopt;
  }
  // Never negative.
  std::optional<std::uint64_t> count(Id id) const;
  std::optional<double> number(Id id) const;
  std::optional<std::string_view> text(Id id) const;
  // (file, first line, name)
  std::optional<CodeLabel> label(Id id) const;

 private:
  const PythonValues& values_;
};

}  // namespace laptime
