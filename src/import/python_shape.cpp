#include "import/python_shape.h"

namespace laptime {

std::optional<std::uint64_t> PythonShape::count(Id id) const {
  if (!values_.is(id, PythonType::integer) || values_.integer(id) < 0) return std::nullopt;
  return static_cast<std::uint64_t>(values_.integer(id));
}

std::optional<double> PythonShape::number(Id id) const {
  if (values_.is(id, PythonType::integer)) return static_cast<double>(values_.integer(id));
  if (values_.is(id, PythonType::real)) return values_.real(id);
  return std::nullopt;
}

std::optional<std::string_view> PythonShape::text(Id id) const {
  if (!values_.is(id, PythonType::text)) return std::nullopt;
  return values_.text(id);
}

std::optional<CodeLabel> PythonShape::label(Id id) const {
  const auto fields = sequence(id, 3);
  if (!fields) return std::nullopt;
  const auto file = text((*fields)[0]), name = text((*fields)[2]);
  const auto line = count((*fields)[1]);
  if (!file || !name || !line || *line > UINT32_MAX) return std::nullopt;
  return CodeLabel{*file, static_cast<std::uint32_t>(*line), *name};
}

}  // namespace laptime
