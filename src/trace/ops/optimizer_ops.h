// The ops that do an optimizer's work in TensorFlow and JAX, where no span is around them.
//
// An op is the optimizer's in two cases:
// - Its type updates a variable by an optimizer's rule: ResourceApplyAdam, ResourceSparseApplyFtrl.
// - A scope of its full name is an optimizer's: "adam/Sub_2", "StatefulPartitionedCall/sgd_1/Mul".
//   Numbers behind the name and upper case make no difference.
// AssignAddVariableOp and AssignSubVariableOp need the scope, because metrics and moving averages
// use these types, too.
#pragma once

#include <string_view>
#include <vector>

#include "trace/run/spans.h"
#include "trace/run/string_table.h"

namespace laptime {

bool is_optimizer_type(std::string_view type);
bool has_optimizer_scope(std::string_view full_name);

class OptimizerOps {
 public:
  explicit OptimizerOps(const StringTable& strings);

  // By row of a track: whether it is an op of an optimizer. Empty: none is.
  std::vector<bool> find(const Spans& spans) const;

 private:
  std::uint32_t full_name_key_;
  std::vector<bool> types_, full_names_;  // by string
};

}  // namespace laptime
