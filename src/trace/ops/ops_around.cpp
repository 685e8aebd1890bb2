#include "trace/ops/ops_around.h"

#include <algorithm>

namespace laptime {

OpsAround::OpsAround(const Run& run, std::uint32_t track, const TrackOps& ops)
    : run_(run), spans_(run.tracks[track].spans), ops_(ops) {
  for (std::uint32_t row = 0; row < ops.size(); ++row)
    if (is_in_op_tree(spans_.kind[row])) by_start_.push_back(row);
  std::stable_sort(by_start_.begin(), by_start_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return spans_.start[a] != spans_.start[b] ? spans_.start[a] < spans_.start[b]
                                              : spans_.duration[a] > spans_.duration[b];
  });
}

OpAround OpsAround::at(std::int64_t time, bool has_line) const {
  OpAround around;
  around.row = innermost(time);
  if (around.row == kNoRow) return around;
  around.op = name_around(around.row);
  if (around.op != 0 && (!has_line || is_of_torch(around.row)))
    around.call_site = ops_.call_site[around.row];
  return around;
}

std::uint32_t OpsAround::innermost(std::int64_t time) const {
  const auto after =
      std::upper_bound(by_start_.begin(), by_start_.end(), time,
                       [&](std::int64_t t, std::uint32_t row) { return t < spans_.start[row]; });
  std::uint32_t row = after == by_start_.begin() ? kNoRow : *(after - 1);
  while (row != kNoRow &&
         (spans_.end(row) < time || repeats_parent(spans_, row, ops_.tree.parent[row])))
    row = ops_.tree.parent[row];
  return row;
}

// The name to show for the surroundings of a call: the outermost op, or the autograd node.
std::uint32_t OpsAround::name_around(std::uint32_t row) const {
  std::uint32_t name = 0;
  for (; row != kNoRow; row = ops_.tree.parent[row])
    if (spans_.kind[row] == SpanKind::op || (spans_.kind[row] == SpanKind::backward && name == 0))
      name = spans_.name[row];
  return name;
}

// False for the program's own Functions and for regions around several ops.
bool OpsAround::is_of_torch(std::uint32_t row) const {
  return spans_.kind[row] == SpanKind::op &&
         run_.strings[spans_.name[row]].find("::") != std::string_view::npos;
}

}  // namespace laptime
