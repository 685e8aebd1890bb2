#include "trace/gpu/kernel_names.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

TEST(KernelNames, AreShortAndTellWhatIsDone) {
  EXPECT_EQ(short_kernel_name("_Z9vectorAddPKfS0_Pfi"), "vectorAdd");
  EXPECT_EQ(short_kernel_name("void at::native::vectorized_elementwise_kernel<4, "
                              "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int, "
                              "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)"),
            "at::native::vectorized_elementwise_kernel<CUDAFunctor_add>");
  EXPECT_EQ(short_kernel_name("void at::native::(anonymous "
                              "namespace)::max_pool_forward_nchw<float, int>(int, float const*)"),
            "at::native::max_pool_forward_nchw");
  EXPECT_EQ(short_kernel_name("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
                              "at::native::func_wrapper_t<float, at::native::sum_functor<float, "
                              "float, float>::operator()(at::TensorIterator&)::{lambda(float, "
                              "float)#1}>, unsigned int, float, 4, 4> >()"),
            "at::native::reduce_kernel<sum_functor>");
  EXPECT_EQ(short_kernel_name("void "
                              "cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>("
                              "cutlass_80_simt_sgemm_128x32_8x5_nn_align1::Params)"),
            "cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>");
  EXPECT_EQ(
      short_kernel_name("_ZN2at6native29vectorized_elementwise_kernelILi4EZZZNS0_49_GLOBAL__N__"
                        "d2ba64fb_16_TensorCompare_cu_71e06f4e19launch_clamp_scalarERNS_"
                        "18TensorIteratorBaseEN3c106ScalarES6_NS0_6detail11ClampLimitsEENKUlvE_"
                        "clEvENKUlvE5_clEvEUlfE_St5arrayIPcLm2EEEEviT0_T1_"),
      "at::native::vectorized_elementwise_kernel<launch_clamp_scalar>");
  EXPECT_EQ(
      short_kernel_name("_ZN17cutlass__5x_cudnn6KernelINS_9reduction6kernel12ReduceSplitKINS_"
                        "11MatrixShapeILi4ELi128EEENS_8epilogue6thread17LinearCombinationIfLi4E"
                        "ffLNS7_9ScaleType4KindE0ELNS_15FloatRoundStyleE2EEENS1_"
                        "6thread9ReduceAddIffLi4EEELi4EEEEEvNT_6ParamsE"),
      "cutlass__5x_cudnn::Kernel<ReduceSplitK>");
  EXPECT_EQ(short_kernel_name(
                "_ZN17cutlass__5x_cudnn6KernelINS_4conv6kernel23ImplicitGemmConvolutionINS1_"
                "11threadblock22ImplicitGemmMultistageINS_4gemm9Gemm"),
            "cutlass__5x_cudnn::Kernel<ImplicitGemmConvolution>")
      << "a name that cannot be taken apart";
  EXPECT_EQ(short_kernel_name("_ZN999a"), "_ZN999a");
  EXPECT_EQ(short_kernel_name("nvjet_hsh_128x64_64x6_2x1_v_bz_TNN"),
            "nvjet_hsh_128x64_64x6_2x1_v_bz_TNN");
  EXPECT_EQ(short_kernel_name("triton_poi_fused_relu_0"), "triton_poi_fused_relu_0");
  EXPECT_EQ(short_kernel_name("_Znonsense"), "_Znonsense");
  EXPECT_EQ(short_kernel_name(""), "");
  EXPECT_EQ(short_kernel_name(">>>((("), ">>>") << "hostile names stay names";
}

TEST(KernelNames, LookThroughWhatOnlyEnablesAKernel) {
  EXPECT_EQ(short_kernel_name(
                "void "
                "cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<flash::"
                "CollectiveMainloopFwdSm90<2, cute::C<1> > > > >(int)"),
            "cutlass::device_kernel<FlashAttnFwdSm90>");
  EXPECT_EQ(short_kernel_name("void "
                              "cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnBwdSm90<"
                              "flash::CollectiveMainloopBwdSm90<2, 2, 2> > > >(int)"),
            "cutlass::device_kernel<FlashAttnBwdSm90>");
  EXPECT_EQ(short_kernel_name("void "
                              "cutlass::device_kernel<at::cuda::detail::enable_3x_kernel_for_sm9x<"
                              "cutlass::gemm::kernel::GemmUniversal<int> > >(int)"),
            "cutlass::device_kernel<GemmUniversal>");
  EXPECT_EQ(short_kernel_name("_ZN7cutlass13device_kernelIN5flash20enable_sm90_or_laterINS1_"
                              "16FlashAttnFwdSm90INS1_25CollectiveMainloopFwdSm90ILi2EN4cu"),
            "cutlass::device_kernel<FlashAttnFwdSm90>")
      << "a name that was cut";
  EXPECT_EQ(short_kernel_name("void cutlass::device_kernel<mine::enable_all>(int)"),
            "cutlass::device_kernel<enable_all>");
  for (const char* cut :
       {"void cutlass::device_kernel<flash::enable_sm90<",
        "_ZN7cutlass13device_kernelIN5flash11enable_sm90INS", "_ZN7cutlass13device_kernelIN"})
    EXPECT_TRUE(short_kernel_name(cut).starts_with("cutlass::device_kernel")) << cut;
}

TEST(KernelNames, TellCommunication) {
  EXPECT_TRUE(is_communication_kernel(
      "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"));
  EXPECT_FALSE(is_communication_kernel("vectorAdd"));
}

}  // namespace
}  // namespace laptime
