// Occupancy against NVIDIA's own calculator, where its header is installed.
#include "trace/gpu/occupancy.h"

#include <gtest/gtest.h>

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>

namespace laptime {
namespace {

struct Chip {
  int major, minor;
  DeviceLimits limits;  // from the driver
};
constexpr Chip kChips[] = {
    {7, 0, {80, 2048, 32, 65536, 98304, 7}},     {7, 5, {40, 1024, 16, 65536, 65536, 7}},
    {8, 0, {108, 2048, 32, 65536, 167936, 8}},   {8, 6, {82, 1536, 16, 65536, 102400, 8}},
    {8, 9, {128, 1536, 24, 65536, 102400, 8}},   {9, 0, {132, 2048, 32, 65536, 233472, 9}},
    {10, 0, {148, 2048, 32, 65536, 233472, 10}},
};
constexpr int kLargestBlock = 1024;

cudaOccDeviceProp properties_of(const Chip& chip) {
  const int system_bytes = chip.major < 8 ? 0 : 1024;
  cudaOccDeviceProp p{};
  p.computeMajor = chip.major;
  p.computeMinor = chip.minor;
  p.maxThreadsPerBlock = kLargestBlock;
  p.maxThreadsPerMultiprocessor = static_cast<int>(chip.limits.threads);
  p.regsPerBlock = p.regsPerMultiprocessor = static_cast<int>(chip.limits.registers);
  p.warpSize = 32;
  p.sharedMemPerBlock = 49152;
  p.sharedMemPerMultiprocessor = chip.limits.shared_bytes;
  p.sharedMemPerBlockOptin = chip.limits.shared_bytes - static_cast<std::size_t>(system_bytes);
  p.reservedSharedMemPerBlock = static_cast<std::size_t>(system_bytes);
  p.numSms = static_cast<int>(chip.limits.multiprocessors);
  return p;
}

// Blocks for each multiprocessor.
int by_nvidia(const cudaOccDeviceProp& properties, int threads, int registers,
              std::uint32_t shared) {
  cudaOccFuncAttributes kernel{};
  kernel.maxThreadsPerBlock = kLargestBlock;
  kernel.numRegs = registers;
  kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
  kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.maxDynamicSharedSizeBytes = properties.sharedMemPerBlockOptin;
  kernel.numBlockBarriers = 1;
  cudaOccDeviceState state{};
  cudaOccResult result{};
  if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &kernel, &state, threads,
                                              shared) != CUDA_OCC_SUCCESS)
    return -1;
  return result.activeBlocksPerMultiprocessor;
}

int by_us(const Chip& chip, int threads, int registers, std::uint32_t shared) {
  LaunchConfig launch;
  launch.grid = {1000, 1, 1};
  launch.block = {static_cast<std::uint32_t>(threads), 1, 1};
  launch.registers = static_cast<std::uint32_t>(registers);
  launch.dynamic_shared = shared;
  const int warps = (threads + 31) / 32;
  return static_cast<int>(occupancy(launch, chip.limits).value_or(0) *
                              static_cast<double>(chip.limits.threads / 32) / warps +
                          0.5);
}

TEST(Occupancy, IsThatOfNvidiasCalculator) {
  for (const Chip& chip : kChips) {
    const cudaOccDeviceProp properties = properties_of(chip);
    int compared = 0, different = 0;
    for (int threads = 16; threads <= kLargestBlock; threads += 16)
      for (int registers = 0; registers < 256; registers += 3)
        for (std::uint32_t shared = 0; shared <= chip.limits.shared_bytes;
             shared += shared < 4096 ? 136 : 1000) {
          const int expected = by_nvidia(properties, threads, registers, shared);
          ++compared;
          if (by_us(chip, threads, registers, shared) != expected && ++different <= 3)
            ADD_FAILURE() << chip.major << '.' << chip.minor << ", " << threads << " threads, "
                          << registers << " registers, " << shared
                          << " bytes: " << by_us(chip, threads, registers, shared)
                          << " blocks, NVIDIA has " << expected;
        }
    EXPECT_EQ(different, 0) << "of " << compared;
  }
}

}  // namespace
}  // namespace laptime
#endif
