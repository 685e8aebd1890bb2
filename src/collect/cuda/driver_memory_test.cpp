#include "collect/cuda/driver_memory.h"

#include "collect/testing/recorded_gpu.h"

namespace laptime::cuda {
namespace {

constexpr std::uint32_t kAllocate = 243, kAllocateRows = 244, kRelease = 245, kAllocateAsync = 598,
                        kReleaseAsync = 600;
constexpr int kOutOfMemory = 2;

class DriverMemoryTest : public CudaCollectorTest {
 protected:
  void allocate(std::uint32_t id, std::uint64_t address, std::size_t bytes, int result = 0,
                void* context = nullptr) {
    std::uint64_t got = 0;
    const struct {
      const std::uint64_t* address;
      std::size_t bytes;
    } parameters{&got, bytes};
    api.call_with(id, &parameters, result, context, [&] { got = address; });
  }
  void release(std::uint32_t id, std::uint64_t address, void* context = nullptr) {
    api.call_with(id, &address, 0, context);
  }
};

TEST_F(DriverMemoryTest, AllocationsAndReleasesWithTheirDevice) {
  api.devices = 2;
  gpu.request_driver_memory();
  ASSERT_TRUE(gpu.on(kRecording));
  allocate(kAllocate, 0x1000, 4096);
  allocate(kAllocateAsync, 0x9000, 512, 0, reinterpret_cast<void*>(1));
  release(kRelease, 0x1000);
  release(kReleaseAsync, 0x9000, reinterpret_cast<void*>(1));
  const ReadRun run = stop_and_read();
  const auto taken = run.of(SpanKind::allocate), given = run.of(SpanKind::release);
  ASSERT_EQ(taken.size(), 2u);
  ASSERT_EQ(given.size(), 2u);
  EXPECT_EQ(taken[0].name, "cuda:0");
  EXPECT_EQ(taken[0].link, 0x1000u);
  EXPECT_EQ(taken[0].bytes, 4096);
  EXPECT_EQ(taken[1].name, "cuda:1");
  EXPECT_EQ(given[1].name, "cuda:1");
  EXPECT_EQ(given[1].link, 0x9000u);
}

TEST_F(DriverMemoryTest, RowsTakeTheirPitch) {
  gpu.request_driver_memory();
  ASSERT_TRUE(gpu.on(kRecording));
  std::uint64_t got = 0;
  std::size_t pitch = 0;
  const struct {
    const std::uint64_t* address;
    const std::size_t* pitch;
    std::size_t width, height;
  } parameters{&got, &pitch, 100, 10};
  api.call_with(kAllocateRows, &parameters, 0, nullptr, [&] { got = 0x1000, pitch = 512; });
  EXPECT_EQ(stop_and_read().of(SpanKind::allocate).at(0).bytes, 5120);
}

TEST_F(DriverMemoryTest, WhatFailedOrIsNothingIsNoBlock) {
  gpu.request_driver_memory();
  ASSERT_TRUE(gpu.on(kRecording));
  allocate(kAllocate, 0, 1ull << 50, kOutOfMemory);
  allocate(kAllocate, 0x1000, 64, kOutOfMemory);
  release(kRelease, 0);
  const ReadRun run = stop_and_read();
  EXPECT_TRUE(run.of(SpanKind::allocate).empty());
  EXPECT_TRUE(run.of(SpanKind::release).empty());
}

TEST_F(DriverMemoryTest, IsNotRecordedWithoutARequest) {
  ASSERT_TRUE(gpu.on(kRecording));
  EXPECT_FALSE(api.callbacks.contains({kDriverDomain, kAllocate}));
}

}  // namespace
}  // namespace laptime::cuda
