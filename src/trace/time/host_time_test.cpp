#include "trace/time/host_time.h"

#include <gtest/gtest.h>
#include <numeric>

#include "trace/analysis.h"
#include "trace/testing/odd_runs.h"

namespace laptime {
namespace {

std::int64_t at(const HostStep& s, HostCategory c) {
  return s.exposed[static_cast<std::size_t>(c)];
}

TEST(HostTime, EveryMomentBelongsToTheFirstCategoryInOrder) {
  OpRun t;
  const std::uint32_t engine = t.add_thread();
  t.add(0, {10, 5, "aten::copy_"});
  t.add(0, {5, 20, "input", SpanKind::loader});  // the copy inside is the loader's
  t.add(0, {32, 4, "aten::copy_"});
  t.add(0, {30, 10, "aten::to"});
  t.add(0, {52, 2, "gc 0", SpanKind::gc});
  t.add(0, {50, 10, "Optimizer.step#SGD.step", SpanKind::optimizer});
  t.add(engine, {35, 20, "MulBackward0", SpanKind::backward});
  t.add_step(0, 0, 100);
  const HostStep s = Analysis(t.run).host_steps()[0];
  EXPECT_EQ(at(s, HostCategory::input), 20);
  EXPECT_EQ(at(s, HostCategory::memory), 4);
  EXPECT_EQ(at(s, HostCategory::forward), 6);
  EXPECT_EQ(at(s, HostCategory::backward), 10);  // 40 to 50: the stepping thread waits
  EXPECT_EQ(s.overlapped[static_cast<std::size_t>(HostCategory::backward)], 10);
  EXPECT_EQ(at(s, HostCategory::gc), 2);
  EXPECT_EQ(at(s, HostCategory::optimizer), 8);
  EXPECT_EQ(at(s, HostCategory::rest), 50);
}

TEST(HostTime, AThreadThatRestsBetweenTwoBackwardsIsInNone) {
  OpRun t;
  const std::uint32_t engine = t.add_thread();
  t.add(0, {0, 10, "aten::mm"});
  t.add(engine, {20, 5, "MulBackward0", SpanKind::backward});
  t.add(engine,
        {30, 5, "AddBackward0", SpanKind::backward});  // 25 to 30: the engine's time between spans
  t.add_step(0, 0, 50);
  t.add(0, {60, 10, "aten::mm"});
  t.add(engine, {80, 5, "MulBackward0", SpanKind::backward});
  t.add_step(0, 50, 50);
  const std::vector<HostStep> steps = Analysis(t.run).host_steps();
  EXPECT_EQ(at(steps[0], HostCategory::backward), 15);
  EXPECT_EQ(at(steps[0], HostCategory::rest), 25);
  EXPECT_EQ(at(steps[1], HostCategory::backward), 5);
  EXPECT_EQ(at(steps[1], HostCategory::rest), 35);
  EXPECT_EQ(steps[1].overlapped[static_cast<std::size_t>(HostCategory::backward)], 0);
}

TEST(HostTime, LaunchesAndWaitsAreTakenOutOfWhatTheyLieIn) {
  OpRun t;
  const std::uint32_t engine = t.add_thread(), stream = t.add_stream(0, 7);
  t.add(0, {12, 3, "cuLaunchKernel", SpanKind::launch, 1});
  t.add(0, {20, 5, "cuMemcpyHtoDAsync_v2", SpanKind::launch, 2});
  t.add(0, {26, 3, "cuStreamSynchronize", SpanKind::sync});
  t.add(0, {10, 20, "aten::to"});
  t.add(engine, {42, 4, "cuLaunchKernel", SpanKind::launch, 3});
  t.add(engine, {47, 2, "cuStreamSynchronize", SpanKind::sync});
  t.add(engine, {40, 10, "MulBackward0", SpanKind::backward});
  t.add(0, {61, 4, "cuLaunchKernel", SpanKind::launch, 4});
  t.add(0, {60, 10, "Optimizer.step#SGD.step", SpanKind::optimizer});
  t.add(engine, {80, 5, "cuMemcpyHtoDAsync_v2", SpanKind::launch,
                 5});  // a thread that pins memory: the stepping thread does not wait for it
  t.add_step(0, 0, 100);
  t.add(stream, {15, 30, "a", SpanKind::kernel, 1});
  t.add(stream, {45, 1, "Memcpy HtoD (Pageable -> Device)", SpanKind::copy, 2});
  t.add(stream, {46, 1, "b", SpanKind::kernel, 3});
  t.add(stream, {66, 1, "c", SpanKind::kernel, 4});
  t.add(stream, {85, 1, "Memcpy HtoD (Pinned -> Device)", SpanKind::copy, 5});
  const HostStep s = Analysis(t.run).host_steps()[0];
  EXPECT_TRUE(s.sources.gpu);
  EXPECT_EQ(at(s, HostCategory::launch), 3 + 4 + 4);
  EXPECT_EQ(at(s, HostCategory::copy), 5);
  EXPECT_EQ(at(s, HostCategory::sync), 3 + 2);
  EXPECT_EQ(at(s, HostCategory::forward), 20 - 3 - 5 - 3);
  EXPECT_EQ(at(s, HostCategory::backward), 10 - 4 - 2);
  EXPECT_EQ(at(s, HostCategory::optimizer), 6);
  EXPECT_EQ(at(s, HostCategory::rest), 60);
  EXPECT_EQ(s.overlapped[static_cast<std::size_t>(HostCategory::launch)], 5);
}

TEST(HostTime, ACollectiveThatEndsWhileTheThreadDoesNothingIsWaitedFor) {
  OpRun t;
  const std::uint32_t gloo = t.add_thread(), engine = t.add_thread();
  t.add(0, {5, 3, "c10d::allreduce_"});
  t.add(0, {0, 10, "MulBackward0", SpanKind::backward});
  t.add(gloo, {6, 34, "gloo:all_reduce", SpanKind::annotation});  // 6 to 10 beside backward
  t.add(engine, {20, 5, "MulBackward0", SpanKind::backward});     // awaited before the collective
  t.add(0, {50, 5, "aten::mm"});
  t.add(gloo,
        {42, 18, "gloo:broadcast", SpanKind::annotation});  // continues beyond the gap before 50
  t.add(0, {70, 10, "Optimizer.step#SGD.step", SpanKind::optimizer});
  t.add(gloo, {68, 10, "gloo:all_reduce", SpanKind::annotation});  // ends beside the optimizer
  t.add_step(0, 0, 100);
  const HostStep s = Analysis(t.run).host_steps()[0];
  EXPECT_EQ(at(s, HostCategory::communication), 3 + (40 - 10 - 5) + (60 - 55));
  EXPECT_EQ(s.overlapped[static_cast<std::size_t>(HostCategory::communication)],
            2 + 5 + 8 + 5 + 2 + 8);
  EXPECT_EQ(at(s, HostCategory::backward), 7 + 5);
  EXPECT_EQ(at(s, HostCategory::forward), 5);
  EXPECT_EQ(at(s, HostCategory::rest), 10 + 10 + 20);
  ASSERT_EQ(s.waits.size(), 2u);
  EXPECT_EQ(s.waits[0].start, 10);
  EXPECT_EQ(s.waits[0].end, 40);
  EXPECT_EQ(s.waits[1].start, 55);
}

TEST(HostTime, ACollectiveWhoseEndIsNotedLateWasDoneWhereTheThreadWentOn) {
  OpRun t;
  const std::uint32_t gloo = t.add_thread();
  constexpr std::int64_t kMs = 1'000'000;
  t.add(0, {0, 10 * kMs, "aten::mm"});
  t.add(0, {30 * kMs, 2 * kMs, "aten::copy_"});  // the gap before it is the wait
  t.add(0, {33 * kMs, 7 * kMs, "Optimizer.step#SGD.step", SpanKind::optimizer});
  t.add(gloo, {5 * kMs, 29 * kMs, "gloo:all_reduce", SpanKind::annotation});
  t.add(0, {50 * kMs, 10 * kMs, "aten::mm"});
  t.add(gloo, {45 * kMs, 8 * kMs, "gloo:all_reduce",
               SpanKind::annotation});  // 3 after a gap of 5: it continued beside Python
  t.add_step(0, 0, 100 * kMs);
  const HostStep s = Analysis(t.run).host_steps()[0];
  EXPECT_EQ(at(s, HostCategory::communication), 20 * kMs);
  EXPECT_EQ(s.overlapped[static_cast<std::size_t>(HostCategory::communication)], (5 + 8) * kMs);
  ASSERT_EQ(s.waits.size(), 1u);
  EXPECT_EQ(s.waits[0].end, 30 * kMs);
  EXPECT_TRUE(s.waits[0].done);
}

TEST(HostTime, ACallWaitsForTheOpsOfOtherThreads) {
  OpRun t;
  const std::uint32_t pool = t.add_thread(), data = t.add_thread();
  t.add(data, {0, 15, "input", SpanKind::loader});  // 5 of it before the call: made ahead
  t.add(pool, {20, 20, "MatMul"});
  t.add(data, {30, 20, "MatMul", SpanKind::backward});
  t.add(pool, {60, 10, "ResourceApplyAdam"});
  t.add(0, {5, 75, "train_step", SpanKind::dispatch});
  t.add(pool, {82, 6, "MatMul", SpanKind::backward});  // beside Python
  t.add(pool, {92, 4, "MatMul"});
  t.add(0, {90, 10, "numpy", SpanKind::wait});
  t.add_step(0, 0, 100, 1);
  const HostStep s = Analysis(t.run).host_steps()[0];
  EXPECT_EQ(at(s, HostCategory::input), 10);
  EXPECT_EQ(at(s, HostCategory::backward), 20);
  EXPECT_EQ(at(s, HostCategory::forward), 10 + 4);
  EXPECT_EQ(at(s, HostCategory::optimizer), 10);
  EXPECT_EQ(at(s, HostCategory::dispatch), 5 + 10 + 10);
  EXPECT_EQ(at(s, HostCategory::device_wait), 6);
  EXPECT_EQ(at(s, HostCategory::rest), 5 + 10);
  EXPECT_EQ(s.overlapped[static_cast<std::size_t>(HostCategory::input)], 5);
  EXPECT_EQ(s.overlapped[static_cast<std::size_t>(HostCategory::forward)], 10);
  EXPECT_EQ(s.overlapped[static_cast<std::size_t>(HostCategory::backward)], 6);
  EXPECT_TRUE(s.sources.calls);
  EXPECT_FALSE(is_light(HostCategory::optimizer, s.sources));
  EXPECT_TRUE(is_light(HostCategory::input, s.sources));
}

TEST(HostTime, OpsThatAStageOfThePipelineRunsAreNotTheStepsOps) {
  OpRun t;
  const std::uint32_t data = t.add_thread();
  t.add(data, {20, 10, "DecodeJpeg"});
  t.add(data, {10, 30, "Map", SpanKind::stage});
  t.add(0, {0, 100, "train_step", SpanKind::dispatch});
  t.add_step(0, 0, 100, 1);
  const HostStep s = Analysis(t.run).host_steps()[0];
  EXPECT_EQ(at(s, HostCategory::dispatch), 100);
  EXPECT_EQ(s.overlapped[static_cast<std::size_t>(HostCategory::forward)], 0);
}

TEST(HostTime, CategoriesSumToTheWallTimeOfEveryStep) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const OpRun t = odd_run({seed});
    const Analysis analysis(t.run);
    for (const HostStep& s : analysis.host_steps()) {
      ASSERT_EQ(std::accumulate(s.exposed.begin(), s.exposed.end(), std::int64_t{0}),
                s.step.wall_ns);
      for (std::size_t c = 0; c < kHostCategories; ++c) {
        ASSERT_GE(s.exposed[c], 0);
        ASSERT_LE(s.overlapped[c] + s.exposed[c], s.step.wall_ns);
      }
    }
  }
}

}  // namespace
}  // namespace laptime
