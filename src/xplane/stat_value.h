// One stat of an event or a plane.
#pragma once

#include <cstdint>
#include <protozero/data_view.hpp>
#include <string>
#include <string_view>

#include "xplane/plane_names.h"

namespace laptime {

struct StatValue {
  PlaneStatName* stat = nullptr;       // null: of no name that the plane has
  PlaneStatName* reference = nullptr;  // its name is the text
  std::string_view text;               // also of a reference
  std::uint64_t number = 0;

  StatRole role() const { return stat ? stat->role : StatRole::none; }
};

// Throws protozero::exception for damaged bytes.
StatValue read_stat(protozero::data_view bytes, PlaneNames& names);

// "(float[32,28,28,1];int64[32])" as torch's ops have it: shapes "[[32, 28, 28, 1], [32]]", types
// "['float', 'int64']". Empty for another text.
struct TensorTexts {
  std::string shapes, types;
};
TensorTexts tensor_texts(std::string_view tensor_shapes);

}  // namespace laptime
