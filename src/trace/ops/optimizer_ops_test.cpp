#include "trace/ops/optimizer_ops.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

TEST(OptimizerOps, ATypeThatUpdatesByAnOptimizersRule) {
  EXPECT_TRUE(is_optimizer_type("ResourceApplyAdam"));
  EXPECT_TRUE(is_optimizer_type("ResourceSparseApplyFtrl"));
  EXPECT_FALSE(is_optimizer_type("AssignAddVariableOp"));
  EXPECT_FALSE(is_optimizer_type("MatMul"));
}

TEST(OptimizerOps, AScopeOfAnOptimizer) {
  EXPECT_TRUE(has_optimizer_scope("adam/AssignSubVariableOp_3"));
  EXPECT_TRUE(has_optimizer_scope("StatefulPartitionedCall/SGD_12/Mul"));
  EXPECT_TRUE(has_optimizer_scope("jit(train_step)/optimizer/mul"));
  EXPECT_FALSE(has_optimizer_scope("sequential/adam"));  // the op's own name, not a scope
  EXPECT_FALSE(has_optimizer_scope("adam_block/MatMul"));
  EXPECT_FALSE(has_optimizer_scope("madam/MatMul"));
  EXPECT_FALSE(has_optimizer_scope("1/MatMul"));
  EXPECT_FALSE(has_optimizer_scope("/"));
  EXPECT_FALSE(has_optimizer_scope(""));
}

}  // namespace
}  // namespace laptime
