#include "analyze/kernel_names.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

TEST(KernelNames, AreShortAndTellWhatIsDone) {
  EXPECT_EQ(short_kernel_name("_Z9vectorAddPKfS0_Pfi"), "vectorAdd");
  EXPECT_EQ(short_kernel_name("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int, "
                              "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)"),
            "at::native::vectorized_elementwise_kernel<CUDAFunctor_add>");
  EXPECT_EQ(short_kernel_name("void at::native::(anonymous namespace)::max_pool_forward_nchw<float, int>(int, float const*)"), "at::native::max_pool_forward_nchw");
  EXPECT_EQ(short_kernel_name("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::func_wrapper_t<float, at::native::sum_functor<float, "
                              "float, float>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, float, 4, 4> >()"),
            "at::native::reduce_kernel<sum_functor>");
  EXPECT_EQ(short_kernel_name("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(cutlass_80_simt_sgemm_128x32_8x5_nn_align1::Params)"),
            "cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>");
  EXPECT_EQ(short_kernel_name("nvjet_hsh_128x64_64x6_2x1_v_bz_TNN"), "nvjet_hsh_128x64_64x6_2x1_v_bz_TNN");
  EXPECT_EQ(short_kernel_name("triton_poi_fused_relu_0"), "triton_poi_fused_relu_0");
  EXPECT_EQ(short_kernel_name("_Znonsense"), "_Znonsense");
  EXPECT_EQ(short_kernel_name(""), "");
  EXPECT_EQ(short_kernel_name(">>>((("), ">>>") << "hostile names stay names";
}

TEST(KernelNames, TellCommunication) {
  EXPECT_TRUE(is_communication_kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"));
  EXPECT_FALSE(is_communication_kernel("vectorAdd"));
}

}  // namespace
}  // namespace laptime
