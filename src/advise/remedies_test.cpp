#include <gtest/gtest.h>

#include "advise/rules.h"
#include "replay/testing/gpu_runs.h"

namespace laptime {
namespace {

using replay::Built, replay::Changes, replay::GpuRun, replay::Outlook;

constexpr std::int64_t kStep = 1'000'000;

TEST(Remedies, FasterProductsBringNothingToAHostThatIsBusy) {
  const char* const product =
      "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma_aligna4_"
      "alignc4_execute_kernel__5x_cublas";
  GpuRun busy, idle;
  for (GpuRun* t : {&busy, &idle}) {
    t->launch(10'000, 5'000, 1);
    if (t == &idle) t->add(0, {20'000, 905'000, "cuStreamSynchronize", SpanKind::sync});
    t->add_step(0, 0, kStep, 1);
    t->kernel(t->stream, 20'000, 900'000, 1, product);
  }
  const Changes tf32 = kTf32.in_general(), half = kMixedPrecision.in_general();
  const Built of_busy(busy.run), of_idle(idle.run);
  const std::int64_t plain_busy = of_busy.walls({})[0], plain_idle = of_idle.walls({})[0];
  EXPECT_EQ(of_busy.walls(tf32)[0], plain_busy);
  EXPECT_EQ(of_busy.walls(half)[0], plain_busy + 20'000);  // the casts
  EXPECT_EQ(of_idle.walls(tf32)[0], plain_idle - 720'000);
  EXPECT_EQ(of_idle.walls(half, Outlook::best)[0], plain_idle - 837'000);
}

TEST(Remedies, AttentionOf32BitFloatsGainsFrom16BitOnesNotFromTf32) {
  GpuRun t;
  t.launch(10'000, 5'000, 1);
  t.add(0, {20'000, 905'000, "cuStreamSynchronize", SpanKind::sync});
  t.add_step(0, 0, kStep, 1);
  t.kernel(t.stream, 20'000, 900'000, 1, "fmha_cutlassF_f32_aligned_64x64_rf_sm80");
  const Built built(t.run);
  const std::int64_t plain = built.walls({})[0];
  EXPECT_EQ(built.walls(kTf32.in_general())[0], plain);
  EXPECT_EQ(built.walls(kMixedPrecision.in_general())[0], plain - 630'000);
}

}  // namespace
}  // namespace laptime
