#include "xplane/gpu_details.h"

#include <gtest/gtest.h>

#include "xplane/stat_value.h"

namespace laptime {
namespace {

TEST(GpuDetails, KernelsHaveALaunchConfig) {
  const auto config = launch_config_of(
      "regs:184 static_shared:16 dynamic_shared:49152 grid:128,2,1 block:64,1,1 occ_pct:12.5");
  ASSERT_TRUE(config);
  EXPECT_EQ(*config, (LaunchConfig{{128, 2, 1}, {64, 1, 1}, 184, 16, 49152}));
}

TEST(GpuDetails, WithoutGridOrBlockThereIsNoLaunchConfig) {
  EXPECT_FALSE(launch_config_of(""));
  EXPECT_FALSE(launch_config_of("grid:1,1,1"));
  EXPECT_FALSE(launch_config_of("grid:1,1 block:x,1,1"));
}

TEST(GpuDetails, CopiesHaveDirectionKindsAndBytes) {
  const CopyDetails details =
      copy_details_of("kind_src:pageable kind_dst:device size:4096 dest:0 async:0", "MemcpyH2D");
  EXPECT_EQ(details.bytes, 4096u);
  EXPECT_EQ(copy_name(details.copy), "Memcpy HtoD (Pageable -> Device)");
  EXPECT_TRUE(details.copy.blocking);
}

TEST(GpuDetails, WhatACopyDoesNotSayIsUnknown) {
  const CopyDetails details = copy_details_of("", "Copy");
  EXPECT_EQ(details.copy, CopyInfo());
  EXPECT_EQ(details.bytes, 0u);
}

TEST(TensorTexts, AreWrittenAsTorchWritesThem) {
  const TensorTexts texts = tensor_texts("(float[32,28,28,1];int64[])");
  EXPECT_EQ(texts.shapes, "[[32, 28, 28, 1], []]");
  EXPECT_EQ(texts.types, "['float', 'int64']");
  EXPECT_EQ(tensor_texts("[28,28]").shapes, "");
  EXPECT_EQ(tensor_texts("(float)").shapes, "");
  EXPECT_EQ(tensor_texts("()").shapes, "[]");
}

}  // namespace
}  // namespace laptime
