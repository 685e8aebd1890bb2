#include "trace/gpu/effort/kernel_math.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

struct Expected {
  const char* name;
  std::optional<Precision> precision;
};

// Most names are from runs on an H200 with PyTorch 2.11.
TEST(KernelMath, TellsTensorCores) {
  const Expected all[] = {
      {"sm80_xmma_dgrad_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x64x64_stage4_"
       "warpsize2x2x1_g1_tensor16x8x8_t1r3s3_execute_kernel__5x_cudnn",
       Precision::tf32},
      {"sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nchw", Precision::tf32},
      {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_"
       "segment_k_off_kernel__5x_cublas",
       Precision::fp16},
      {"sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize64x128x128_warpgroupsize1x1x1_bias_f16_"
       "execute_segment_k_off_kernel__5x_cublas",
       Precision::fp8},
      {"nvjet_hsh_128x64_64x6_2x1_v_bz_TNN", Precision::fp16},
      {"nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNT", Precision::fp16},
      {"nvjet_sm100_hsh_128x64_64x6_2x1_v_bz_TNN", Precision::fp16},
      {"nvjet_sm90_tst_128x256_64x4_2x1_v_bz_coopA_NTN", Precision::fp16},
      {"sm90_xmma_dgrad_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x64x32_"
       "warpgroupsize1x1x1_g1_execute_segment_k_on_kernel__5x_cudnn",
       Precision::tf32},
      {"_ZN17cutlass__5x_cudnn6KernelINS_4conv6kernel23ImplicitGemmConvolutionINS1_"
       "11threadblock22ImplicitGemmMultistageINS_4gemm9GemmShapeILi64ELi128ELi16EEENS4_52"
       "Conv2dWgradOutputGradientTileAccessIteratorOptimizedINS_11MatrixShapeILi64ELi16EEENS_"
       "10tfloat32_tENS_9transform29PitchLinearWarpRakedThreadMapINS_6layout40"
       "ColumnMajorTensorOpMultiplicandCongruousILi32ELi32EEE",
       Precision::tf32},
      {"nvjet_sss_64x8_32x16_2x1_h_bz_splitK_TNT", Precision::tf32},
      {"ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3_tn", Precision::fp16},
      {"ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn", Precision::fp16},
      {"void "
       "cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64_32x6_nn_align4>(cutlass_80_tensorop_"
       "s1688gemm_64x64_32x6_nn_align4::Params)",
       Precision::tf32},
      {"void "
       "cutlass::Kernel2<cutlass_80_wmma_tensorop_f16_s161616gemm_f16_32x32_128x1_nn_align8>(…)",
       Precision::fp16},
      {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1_"
       "kernel0_0",
       Precision::fp16},
      {"void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, "
       "false, cutlass::bfloat16_t>>(pytorch_flash::Flash_fwd_params)",
       Precision::fp16},
      {"fmha_cutlassF_f16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel::Params)",
       Precision::fp16},
      {"cutlass_80_tensorop_d884gemm_128x64_16x3_nn_align1", Precision::fp64_tensor},
      {"sm80_xmma_gemm_f64f64_f64f64_f64_nn_n_tilesize32x32x16_stage4_warpsize2x2x1_tensor8x8x4_"
       "execute_kernel__5x_cublas",
       Precision::fp64_tensor},
      {"cudnn_generated_fort_native_sdpa_sm80_flash_fprop_f16_knob_3_64x64x64_4x1x1_kernel0_0",
       Precision::fp16},
      {"void pytorch_flash::flash_fwd_splitkv_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, "
       "64, 256, 4, false, false, cutlass::half_t> >(int)",
       Precision::fp16},
      {"void "
       "cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<flash::"
       "CollectiveMainloopFwdSm90<2, cute::C<128>, 128, cutlass::bfloat16_t, float> > > >(int)",
       Precision::fp16},
      {"void "
       "cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<flash::"
       "CollectiveMainloopFwdSm90<2, cute::C<128>, 128, cutlass::float_e4m3_t, float> > > >(int)",
       Precision::fp8},
      {"void "
       "cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnBwdSm90<flash::"
       "CollectiveMainloopBwdSm90<2, 2, 2> > > >(int)",
       std::nullopt},
      {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<int, "
       "cutlass::gemm::collective::CollectiveMma<cutlass::gemm::MainloopSm90TmaGmmaWarpSpecialized<"
       "5>, "
       "cutlass::float_e4m3_t, "
       "cute::TiledMMA<cute::MMA_Atom<cute::SM90_64x128x32_F32E4M3E4M3_SS_TN<(cute::SM90::GMMA::"
       "ScaleIn)1> > >, cutlass::bfloat16_t> > >(int)",
       Precision::fp8},
      {"void "
       "cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::SM90::GMMA::MMA_"
       "64x128x16_F32BF16BF16_SS<(cute::SM90::GMMA::Major)0>, cutlass::float_e4m3_t> >(int)",
       Precision::fp16},
      {"void "
       "cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::SM90::GMMA::MMA_64x128x8_"
       "F32TF32TF32_SS_TN<(cute::SM90::GMMA::ScaleIn)1> > >(int)",
       Precision::tf32},
      {"void "
       "cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cutlass::gemm::"
       "MainloopSm100TmaUmmaWarpSpecialized<3>, cutlass::bfloat16_t> >(int)",
       Precision::fp16},
  };
  for (const Expected& expected : all) {
    EXPECT_EQ(math_of_kernel(expected.name).tensor_cores, true) << expected.name;
    EXPECT_EQ(math_of_kernel(expected.name).precision, expected.precision) << expected.name;
  }
}

TEST(KernelMath, TellsPlainCores) {
  const Expected all[] = {
      {"sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_tilesize32x32x8_stage3_"
       "warpsize1x2x1_g1_ffma_aligna4_alignc4_execute_kernel__5x_cudnn",
       Precision::fp32},
      {"sm80_xmma_gemm_f32f32_f32f32_f32_nt_n_tilesize32x32x8_stage3_warpsize1x2x1_ffma_aligna4_"
       "alignc4_execute_kernel__5x_cublas",
       Precision::fp32},
      {"void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(…)", Precision::fp32},
      {"ampere_sgemm_128x64_tn", Precision::fp32},
      {"ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile148t_nt_v1", Precision::fp32},
      {"void wgrad_alg0_engine<float, 128, 5, 5, 3, 3, 3, false, 512>(int, int, int, float const*)",
       Precision::fp32},
      {"_ZN5cudnn6detail12dgrad_engineIfLi512ELi6ELi5ELi3ELi3ELi3ELb0EEEviiiPKT_iS4_iPS2_",
       Precision::fp32},
      {"void wgrad_alg0_engine<double, 128, 5, 5, 3, 3, 3, false, 512>(int)", Precision::fp64},
      {"void wgrad_alg0_engine<__half, 128, 5, 5, 3, 3, 3, false, 512>(int)", std::nullopt},
      {"ampere_dgemm_128x64_tn", Precision::fp64},
      {"void cutlass::Kernel2<cutlass_80_simt_dgemm_128x64_8x5_nn_align1>(int)", Precision::fp64},
      {"void at::native::reduce_kernel<128, 4, at::native::ReduceOp<float, "
       "at::native::func_wrapper_t<float, at::native::sum_functor<float, float, float>>>>()",
       std::nullopt},
      {"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_"
       "addIfEESt5arrayIPcLm3EEEEviT0_T1_",
       std::nullopt},
      {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<2>, "
       "UnaryOpFunctor<float, 2, 1, 1>, at::native::Sqrt<float>>()",
       std::nullopt},
      {"void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernel<float>()",
       std::nullopt},
      {"void pytorch_flash::flash_bwd_dot_do_o_kernel<true, Flash_bwd_kernel_traits<64, 128, "
       "128>>(pytorch_flash::Flash_bwd_params)",
       std::nullopt},
      {"void pytorch_flash::flash_bwd_convert_dq_kernel<Flash_bwd_kernel_traits<64, 128, "
       "128>>(pytorch_flash::Flash_bwd_params)",
       std::nullopt},
      {"void "
       "pytorch_flash::flash_fwd_splitkv_combine_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, "
       "64, 256, 4, false, false, cutlass::half_t>, 4, 1, true>(int)",
       std::nullopt},
      {"void "
       "cutlass::device_kernel<flash::enable_sm80_or_later<flash::FlashAttnFwdCombine<cute::C<8>, "
       "float, cutlass::bfloat16_t, cutlass::arch::Sm80> > >(int)",
       std::nullopt},
      {"void cutlass::device_kernel<flash::FlashAttnBwdPreprocess<cute::C<128>, "
       "cutlass::bfloat16_t, float, cutlass::arch::Sm90, true, false> >(int)",
       std::nullopt},
      {"void cutlass::device_kernel<flash::FlashAttnBwdPostprocessConvertdQ<cute::C<64>, "
       "cutlass::bfloat16_t, cute::SM90::GMMA::MMA_64x128x16_F32BF16BF16_SS<0>, false> >(int)",
       std::nullopt},
      {"_ZN43_GLOBAL__N__b6de9c8c_10_SoftMax_cu_9f978f6320softmax_warp_"
       "forwardIfffLi4ELb1ELb0EEEvPT0_PKT_iiiPKbib",
       std::nullopt},
      {"_ZN8cublasLt8epilogue4impl12globalKernelILi8ELi32EfffLb1ELb1ELi1EEEviilPT1_"
       "18cublasLtEpilogue_tiPT2_lPvlllPT3_lPi",
       std::nullopt},
      {"_ZN17cutlass__5x_cudnn6KernelINS_9reduction6kernel12ReduceSplitKINS_"
       "11MatrixShapeILi4ELi128EEENS_8epilogue6thread17LinearCombinationIfLi4Eff",
       std::nullopt},
      {"sgemm_largek_lds64", Precision::fp32},
      {"triton_poi_fused_relu_0", std::nullopt},
      {"void cublasLt::splitKreduce_kernel<32, 16, int, float, float, float>()", std::nullopt},
      {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", std::nullopt},
  };
  for (const Expected& expected : all) {
    EXPECT_EQ(math_of_kernel(expected.name).tensor_cores, false) << expected.name;
    EXPECT_EQ(math_of_kernel(expected.name).precision, expected.precision) << expected.name;
  }
}

TEST(KernelMath, SaysNothingOfNamesThatTellNothing) {
  for (const char* name : {"vectorAdd", "_Z9vectorAddPKfS0_Pfi", "triton_tem_fused_mm_3",
                           "void mine::groupedGemm<float>(int)",
                           "sm80_xmma_gemm_f32f32_f32f32_f32_nt_n_tilesize32x32x8", "nvtx", "",
                           "fmha_cutlassF_f32_aligned_64x64_rf_sm80"})
    EXPECT_EQ(math_of_kernel(name).tensor_cores, std::nullopt) << name;
  EXPECT_EQ(math_of_kernel("nvjet_sm").precision, std::nullopt) << "cut names stay within bounds";
  EXPECT_EQ(math_of_kernel("nvjet_").precision, std::nullopt);
}

}  // namespace
}  // namespace laptime
