// The column ids, shared by the block encoder and decoder. Stable numbers: they are in files.
#pragma once

#include <cstdint>

namespace laptime {

enum class ColumnId : std::uint8_t {
  shape_dictionary = 1,  // (name, kind) pairs
  shape = 2,
  end_delta = 3,
  duration = 4,
  link_delta = 5,
  arg_row = 6,
  arg_key = 7,
  arg_type = 8,
  arg_value = 9,
  time_delta = 10,
  name = 11,
  real = 12,
  // 13 and 14 are free.
  kind = 15,
  step_delta = 16,
  code_delta = 17,
  where_delta = 18,
  hits = 19,
  inclusive = 20,
  exclusive = 21,
  extra_hits = 22,
  extra_ns = 23,
};
inline constexpr std::size_t kColumnIds = 24;

}  // namespace laptime
