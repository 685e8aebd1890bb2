#include "trace/gpu/effort/foreach_kernels.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

// Mangled ones are from runs on an H200 with PyTorch 2.11.
TEST(ForeachKernels, ReadTheirListsOnceAndWriteOne) {
  EXPECT_EQ(foreach_bytes_per_element(
                "_ZN2at6native52_GLOBAL__N__4671fab5_19_ForeachTernaryOp_cu_5285c63625multi_tensor_"
                "apply_kernelINS1_18TensorListMetadataILi2EEENS1_"
                "22TernaryOpScalarFunctorIfLi2ELi2ELi0EEEJNS0_11LerpFunctorIfEEfEEEvT_T0_DpT1_"),
            4u * 3);
  EXPECT_EQ(foreach_bytes_per_element(
                "_ZN2at6native57_GLOBAL__N__e658eeb9_24_ForeachBinaryOpScalar_cu_86b9896c25multi_"
                "tensor_apply_kernelINS1_18TensorListMetadataILi1EEENS1_"
                "21BinaryOpScalarFunctorIfLi1ELi1ELi0EEEJSt10multipliesIfEfEEEvT_T0_DpT1_"),
            4u * 2);
  EXPECT_EQ(foreach_bytes_per_element(
                "_ZN2at6native54_GLOBAL__N__f8a10d72_21_ForeachPointwiseOp_cu_ef478fac25multi_"
                "tensor_apply_kernelINS1_28TensorListScalarListMetadataIfLi3EEE"
                "NS1_28PointwiseOpScalarListFunctorIfLi3ELi3ELi0EEEJSt7dividesIfEEEEvT_T0_DpT1_"),
            4u * 4);
  EXPECT_EQ(
      foreach_bytes_per_element("void at::native::(anonymous "
                                "namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
                                "namespace)::TensorListMetadata<2>, "
                                "at::native::(anonymous namespace)::UnaryOpFunctor<c10::BFloat16, "
                                "2, 1, 1>, at::native::Sqrt<float>>()"),
      2u * 2);
}

TEST(ForeachKernels, FusedOptimizersWriteAllButTheGradients) {
  EXPECT_EQ(foreach_bytes_per_element(
                "void at::native::(anonymous "
                "namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
                "namespace)::FusedOptimizerTensorListMetadata<4>, "
                "at::native::(anonymous namespace)::FusedAdamMathFunctor<c10::BFloat16, 4, "
                "(at::native::ADAM_MODE)1, false>, float const*>()"),
            2u * 7);
  EXPECT_EQ(foreach_bytes_per_element("void multi_tensor_apply_kernel<TensorListMetadata<2>, "
                                      "FusedSgdMathFunctor<float, 2>, double>()"),
            4u * 3);
}

TEST(ForeachKernels, SayNothingWhereTheyAreNotKnown) {
  for (const char* name :
       {"", "multi_tensor_apply_kernel", "multi_tensor_apply_kernel<UnaryOpFunctor<",
        "multi_tensor_apply_kernel<UnaryOpFunctor<float",
        "multi_tensor_apply_kernel<UnaryOpFunctor<float, 2, x, 1>>",
        "multi_tensor_apply_kernel<UnaryOpFunctor<float, 2, 99999999999999999999, 1>>",
        "multi_tensor_apply_kernel<UnaryOpFunctor<c10::complex<float>, 2, 1, 1>>",
        "multi_tensor_apply_kernel<LpNormFunctor<float, 2, 1, 1>>",
        "at::native::vectorized_elementwise_kernel<UnaryOpFunctor<float, 2, 1, 1>>"})
    EXPECT_EQ(foreach_bytes_per_element(name), std::nullopt) << name;
}

}  // namespace
}  // namespace laptime
