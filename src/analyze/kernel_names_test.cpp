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
  EXPECT_EQ(short_kernel_name("nvjet_hsh_128x64_64x6_2x1_v_bz_TNN"), "nvjet_hsh_128x64_64x6_2x1_v_bz_TNN");
  EXPECT_EQ(short_kernel_name("triton_poi_fused_relu_0"), "triton_poi_fused_relu_0");
  EXPECT_EQ(short_kernel_name("_Znonsense"), "_Znonsense");
  EXPECT_EQ(short_kernel_name(""), "");
  EXPECT_EQ(short_kernel_name(">>>((("), ">>>") << "hostile names stay names";
}

TEST(KernelNames, TellTensorCores) {
  for (const char* name : {"nvjet_hsh_128x64_64x6_2x1_v_bz_TNN", "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas",
                           "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw", "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3_tn",
                           "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64_32x6_nn_align4>(cutlass_80_tensorop_s1688gemm_64x64_32x6_nn_align4::Params)",
                           "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4>>(pytorch_flash::Flash_fwd_params)"})
    EXPECT_TRUE(uses_tensor_cores(name)) << name;
  for (const char* name : {"ampere_sgemm_128x64_tn", "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(…)", "vectorAdd",
                           "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl>()", "cudnn::winograd_nonfused::winogradForwardData4x4"})
    EXPECT_FALSE(uses_tensor_cores(name)) << name;
}

TEST(KernelNames, TellCommunication) {
  EXPECT_TRUE(is_communication_kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"));
  EXPECT_FALSE(is_communication_kernel("vectorAdd"));
}

}  // namespace
}  // namespace laptime
