// The driver's calls that callbacks are requested for: those that give work to a GPU, wait for it,
// or take its memory. The numbers are CUPTI's and never change. Assumption: only the driver's
// domain sees every launch once, including those of cuDNN, cuBLAS and Triton. The runtime's domain
// misses these.
#pragma once

#include <cstdint>

// X(name, number). Formatted by hand, because clang-format indents each call differently.
// clang-format off
#define LAPTIME_CUDA_LAUNCH_CALLS(X) \
  X(cuLaunchKernel, 307) X(cuLaunchKernel_ptsz, 442) X(cuLaunchCooperativeKernel, 477) \
  X(cuLaunchCooperativeKernel_ptsz, 478) X(cuLaunchCooperativeKernelMultiDevice, 480) \
  X(cuGraphLaunch, 514) X(cuGraphLaunch_ptsz, 515) X(cuLaunchKernelEx, 652) \
  X(cuLaunchKernelEx_ptsz, 653)
#define LAPTIME_CUDA_COPY_CALLS(X) \
  X(cuMemcpy_v2, 248) X(cuMemcpyHtoD_v2, 276) X(cuMemcpyHtoDAsync_v2, 277) X(cuMemcpyDtoH_v2, 278) \
  X(cuMemcpyDtoHAsync_v2, 279) X(cuMemcpyDtoD_v2, 280) X(cuMemcpyDtoDAsync_v2, 281) \
  X(cuMemcpyAtoH_v2, 282) X(cuMemcpyAtoHAsync_v2, 283) X(cuMemcpyAtoD_v2, 284) \
  X(cuMemcpyDtoA_v2, 285) X(cuMemcpyAtoA_v2, 286) X(cuMemcpy2D_v2, 287) \
  X(cuMemcpy2DUnaligned_v2, 288) X(cuMemcpy2DAsync_v2, 289) X(cuMemcpy3D_v2, 290) \
  X(cuMemcpy3DAsync_v2, 291) X(cuMemcpyHtoA_v2, 292) X(cuMemcpyHtoAAsync_v2, 293) X(cuMemcpy, 305) \
  X(cuMemcpyAsync, 306) X(cuMemcpyPeer, 318) X(cuMemcpyPeerAsync, 319) X(cuMemcpy3DPeer, 320) \
  X(cuMemcpy3DPeerAsync, 321) X(cuMemcpyHtoD_v2_ptds, 397) X(cuMemcpyDtoH_v2_ptds, 398) \
  X(cuMemcpyDtoD_v2_ptds, 399) X(cuMemcpyDtoA_v2_ptds, 400) X(cuMemcpyAtoD_v2_ptds, 401) \
  X(cuMemcpyHtoA_v2_ptds, 402) X(cuMemcpyAtoH_v2_ptds, 403) X(cuMemcpyAtoA_v2_ptds, 404) \
  X(cuMemcpy2D_v2_ptds, 405) X(cuMemcpy2DUnaligned_v2_ptds, 406) X(cuMemcpy3D_v2_ptds, 407) \
  X(cuMemcpy_ptds, 408) X(cuMemcpyPeer_ptds, 409) X(cuMemcpy3DPeer_ptds, 410) \
  X(cuMemcpyAsync_ptsz, 418) X(cuMemcpyHtoAAsync_v2_ptsz, 419) X(cuMemcpyAtoHAsync_v2_ptsz, 420) \
  X(cuMemcpyHtoDAsync_v2_ptsz, 421) X(cuMemcpyDtoHAsync_v2_ptsz, 422) \
  X(cuMemcpyDtoDAsync_v2_ptsz, 423) X(cuMemcpy2DAsync_v2_ptsz, 424) \
  X(cuMemcpy3DAsync_v2_ptsz, 425) X(cuMemcpyPeerAsync_ptsz, 426) X(cuMemcpy3DPeerAsync_ptsz, 427) \
  X(cuMemcpyBatchAsync, 776) X(cuMemcpyBatchAsync_ptsz, 777) X(cuMemcpy3DBatchAsync, 778) \
  X(cuMemcpy3DBatchAsync_ptsz, 779) X(cuMemcpyBatchAsync_v2, 796) \
  X(cuMemcpyBatchAsync_v2_ptsz, 797) X(cuMemcpy3DBatchAsync_v2, 798) \
  X(cuMemcpy3DBatchAsync_v2_ptsz, 799)
#define LAPTIME_CUDA_FILL_CALLS(X) \
  X(cuMemsetD8Async, 216) X(cuMemsetD16Async, 218) X(cuMemsetD32Async, 220) \
  X(cuMemsetD2D8Async, 222) X(cuMemsetD2D16Async, 224) X(cuMemsetD2D32Async, 226) \
  X(cuMemsetD8_v2, 249) X(cuMemsetD16_v2, 250) X(cuMemsetD32_v2, 251) X(cuMemsetD2D8_v2, 252) \
  X(cuMemsetD2D16_v2, 253) X(cuMemsetD2D32_v2, 254) X(cuMemsetD8_v2_ptds, 411) \
  X(cuMemsetD16_v2_ptds, 412) X(cuMemsetD32_v2_ptds, 413) X(cuMemsetD2D8_v2_ptds, 414) \
  X(cuMemsetD2D16_v2_ptds, 415) X(cuMemsetD2D32_v2_ptds, 416) X(cuMemsetD8Async_ptsz, 428) \
  X(cuMemsetD16Async_ptsz, 429) X(cuMemsetD32Async_ptsz, 430) X(cuMemsetD2D8Async_ptsz, 431) \
  X(cuMemsetD2D16Async_ptsz, 432) X(cuMemsetD2D32Async_ptsz, 433)
#define LAPTIME_CUDA_WAIT_CALLS(X) \
  X(cuCtxSynchronize, 17) X(cuEventSynchronize, 121) X(cuStreamSynchronize, 126) \
  X(cuStreamSynchronize_ptsz, 440) X(cuCtxSynchronize_v2, 800)
// Parameters: address by reference, bytes; address by reference, pitch by reference, width, height;
// address.
#define LAPTIME_CUDA_ALLOCATE_CALLS(X) \
  X(cuMemAlloc_v2, 243) X(cuMemAllocManaged, 371) X(cuMemAllocAsync, 598) \
  X(cuMemAllocAsync_ptsz, 599) X(cuMemAllocFromPoolAsync, 611) \
  X(cuMemAllocFromPoolAsync_ptsz, 612)
#define LAPTIME_CUDA_ALLOCATE_ROWS_CALLS(X) X(cuMemAllocPitch_v2, 244)
#define LAPTIME_CUDA_RELEASE_CALLS(X) \
  X(cuMemFree_v2, 245) X(cuMemFreeAsync, 600) X(cuMemFreeAsync_ptsz, 601)
// clang-format on

namespace laptime::cuda {

struct DriverCall {
  std::uint32_t id;
  const char* name;
  bool waits;  // the host waits until the GPU is done
};
#define LAPTIME_CUDA_WORK_CALL(name, number) {number, #name, false},
#define LAPTIME_CUDA_WAIT_CALL(name, number) {number, #name, true},
inline constexpr DriverCall kDriverCalls[] = {
    LAPTIME_CUDA_LAUNCH_CALLS(LAPTIME_CUDA_WORK_CALL)
        LAPTIME_CUDA_COPY_CALLS(LAPTIME_CUDA_WORK_CALL)
            LAPTIME_CUDA_FILL_CALLS(LAPTIME_CUDA_WORK_CALL)
                LAPTIME_CUDA_WAIT_CALLS(LAPTIME_CUDA_WAIT_CALL)};
#undef LAPTIME_CUDA_WORK_CALL
#undef LAPTIME_CUDA_WAIT_CALL

}  // namespace laptime::cuda
