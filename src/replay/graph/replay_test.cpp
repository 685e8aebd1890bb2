#include "replay/graph/replay.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

#include "replay/testing/gpu_runs.h"

namespace laptime::replay {
namespace {

TEST(Replay, UnchangedEveryTaskBeginsAndEndsWhenItDid) {
  GpuRun t;
  t.launch(100'000, 5'000, 1);
  t.launch(110'000, 5'000, 2);
  t.add(0, {120'000, 60'000, "cuStreamSynchronize", SpanKind::sync});
  t.launch(300'000, 5'000, 3);
  t.add_step(0, 0, 400'000);
  t.kernel(t.stream, 108'000, 40'000, 1);
  t.kernel(t.stream, 149'000, 30'000, 2);
  t.kernel(t.stream, 306'000, 20'000, 3);
  const Built built(t.run);
  const Replay again = replay(built.graph, recorded_times(built.graph));
  for (std::size_t i = 0; i < built.graph.tasks.size(); ++i) {
    EXPECT_EQ(again.end[i], built.graph.tasks[i].end) << i;
    if (built.graph.tasks[i].kind != TaskKind::host) {
      EXPECT_EQ(again.start[i], built.graph.tasks[i].start) << i;
    }
  }
}

TEST(Replay, AWaitForTheGpuShrinksWithWhatItWaitsFor) {
  GpuRun t;
  t.launch(10'000, 5'000, 1);
  t.add(0, {20'000, 180'000, "cuStreamSynchronize", SpanKind::sync});
  t.add_step(0, 0, 250'000);
  t.kernel(t.stream, 15'000, 184'000, 1, "slow");
  const Built built(t.run);
  const std::int64_t plain = built.walls({})[0];
  EXPECT_NEAR(static_cast<double>(plain), 250'000, 3'000);  // less the recorder's share
  EXPECT_EQ(built.walls(scaled("slow", 0.5))[0], plain - 92'000);
  // Once the kernel is done before the host waits, a shorter kernel gains nothing more.
  EXPECT_EQ(built.walls(scaled("slow", 0))[0], plain - 179'000 - 2'500);
  EXPECT_EQ(built.walls(scaled("cuStreamSynchronize", 0))[0], plain - 500);
}

TEST(Replay, AKernelWaitsForTheStreamThatItWaitedFor) {
  GpuRun t;
  const std::uint32_t copies = t.add_stream(13);
  t.launch(0, 5'000, 1);
  t.launch(10'000, 5'000, 2);
  t.add(0, {20'000, 400'000, "cuCtxSynchronize", SpanKind::sync});
  t.add_step(0, 0, 450'000);
  t.kernel(copies, 5'000, 295'000, 1, "copy");
  t.kernel(t.stream, 302'000, 116'000, 2, "compute");
  const Built built(t.run);
  EXPECT_EQ(built.walls(scaled("copy", 0.5))[0], built.walls({})[0] - 147'500);
}

TEST(Replay, TheHostsPartOfOpsIsFreeWhenLaunchesAre) {
  GpuRun t;
  t.launch(30'000, 10'000, 1);
  t.add(0, {10'000, 90'000, "aten::mm"});
  t.launch(130'000, 10'000, 2);
  t.add(0, {110'000, 90'000, "aten::mm"});
  t.add(0, {200'000, 50'000, "cuStreamSynchronize", SpanKind::sync});
  t.add_step(0, 0, 260'000);
  t.kernel(t.stream, 40'000, 50'000, 1);
  t.kernel(t.stream, 145'000, 100'000, 2);
  const Built built(t.run);
  Changes changes;
  changes.launch_free = true;
  // 20 of Python before the second launch, 10 and 15 to the kernels, which then run back to back; 5
  // and 10 behind them.
  const std::int64_t wall = built.walls(changes)[0];
  EXPECT_LT(wall, 200'000);
  EXPECT_GE(wall, 150'000 + 13'000);
}

TEST(Replay, ACollectiveThatLaunchesIsFreeWithLaunchesAndOneOfTheHostIsNot) {
  Changes changes;
  changes.launch_free = true;
  const auto wall = [&](bool launches) {
    GpuRun t;
    if (launches) t.launch(60'000, 10'000, 2);
    t.add(0, {10'000, 100'000, "c10d::allreduce_"});
    t.launch(150'000, 10'000, 1);
    t.add_step(0, 0, 300'000);
    t.kernel(t.stream, 162'000, 20'000, 1);
    if (launches) t.kernel(t.stream, 75'000, 20'000, 2, "ncclDevKernel_AllReduce");
    return Built(t.run).walls(changes)[0];
  };
  EXPECT_GT(wall(false), 300'000 - 61'000);  // the launch and short gaps
  EXPECT_LT(wall(true), wall(false) - 70'000);
}

TEST(Replay, BackwardOnAnotherThreadIsWaitedFor) {
  OpRun t;
  const std::uint32_t engine = t.add_thread();
  t.add(0, {0, 100, "aten::mm"});
  t.add(engine, {150, 200, "MmBackward0", SpanKind::backward});
  t.add(engine, {360, 100, "TBackward0", SpanKind::backward});
  t.add(0, {480, 20, "Optimizer.step#SGD.step", SpanKind::optimizer});
  t.add_step(0, 0, 600);
  const Built built(t.run);
  EXPECT_EQ(built.walls({})[0], 600);
  EXPECT_EQ(built.walls(scaled("MmBackward0", 0.5))[0], 500);
  EXPECT_EQ(built.walls(scaled("aten::mm", 0))[0], 500);
}

TEST(Replay, ACallOfACompiledFunctionWaitsForTheOpsOfOtherThreads) {
  OpRun t;
  const std::uint32_t pool = t.add_thread(), other = t.add_thread();
  t.add(pool, {50, 100, "input", SpanKind::loader});
  t.add(pool, {160, 100, "MatMul"});
  t.add(other, {160, 40, "Relu"});
  t.add(other, {270, 100, "Conv2D", SpanKind::backward});  // on another thread, once MatMul is done
  t.add(0, {20, 380, "train_step", SpanKind::dispatch});
  t.add_step(0, 0, 500, 1);
  const Built built(t.run);
  EXPECT_EQ(built.walls({})[0], 500);
  EXPECT_EQ(built.walls(scaled("MatMul", 0.5))[0], 450);
  EXPECT_EQ(built.walls(scaled("MatMul", 0))[0], 440);  // Relu takes 40 of the 100
  EXPECT_EQ(built.walls(scaled("Relu", 0))[0], 500);
  EXPECT_EQ(built.walls(scaled("Conv2D", 0.5))[0], 450);
  EXPECT_EQ(built.walls(scaled("backward", 0.5))[0], 450);
  Changes free;
  free.input_free = true;
  EXPECT_EQ(built.walls(free)[0], 400);
}

TEST(Replay, AWaitForACollectiveShrinksWithIt) {
  OpRun t;
  const std::uint32_t gloo = t.add_thread();
  t.add(0, {0, 90, "aten::mm"});
  t.add(0, {90, 20, "c10d::allreduce_"});
  t.add(gloo, {100, 300, "gloo:all_reduce", SpanKind::annotation});
  t.add(gloo, {120, 380, "gloo:all_reduce", SpanKind::annotation});  // crosses the first
  t.add(0, {600, 100, "Optimizer.step#SGD.step", SpanKind::optimizer});
  t.add(gloo,
        {620, 30, "gloo:broadcast",
         SpanKind::annotation});  // beside the optimizer: the stepping thread does not wait for it
  t.add_step(0, 0, 800);
  const Built built(t.run);
  EXPECT_EQ(built.walls({})[0], 800);
  EXPECT_EQ(built.walls(scaled("gloo:all_reduce", 0.5))[0], 800 - 190);
  EXPECT_EQ(built.walls(scaled("communication", 0.5))[0], 800 - 10 - 190);
  EXPECT_EQ(built.walls(scaled("gloo:all_reduce", 0))[0],
            800 - 380);  // what follows the wait is the program's own
  EXPECT_EQ(built.walls(scaled("gloo:broadcast", 0))[0], 800);
}

TEST(Replay, ScalesWhatIsInsideAndWhatALineCalled) {
  OpRun t;
  const std::uint32_t line = t.call_site(42), other = t.call_site(43);
  t.add(0, {20, 60, "aten::convolution"});
  t.add(0, {10, 80, "aten::conv2d", SpanKind::op, 0, line});
  t.add(0, {100, 50, "aten::relu", SpanKind::op, 0, other});
  t.add_step(0, 0, 200);
  const Built built(t.run);
  EXPECT_EQ(built.walls(scaled("aten::conv2d", 0.5))[0], 160);
  EXPECT_EQ(built.walls(scaled("aten::conv*", 0))[0], 120);
  EXPECT_EQ(built.walls(scaled("aten::convolution", 0))[0], 140);
  EXPECT_EQ(built.walls(scaled("train.py:42", 0))[0], 120);
  EXPECT_EQ(built.walls(scaled("forward ops", 2))[0], 330);
  EXPECT_EQ(built.walls(scaled("python", 0))[0], 130);
}

TEST(Replay, AWorseOutlookTakesLessOff) {
  OpRun t;
  t.add(0, {0, 100, "aten::mm"});
  t.add_step(0, 0, 200);
  const Built built(t.run);
  EXPECT_EQ(built.walls(scaled("aten::mm", 0), Outlook::best)[0], 100);
  EXPECT_EQ(built.walls(scaled("aten::mm", 0), Outlook::worst)[0], 115);
  EXPECT_EQ(built.walls(scaled("aten::mm", 2), Outlook::best)[0], 285);
  EXPECT_EQ(built.walls(scaled("aten::mm", 2), Outlook::worst)[0], 300);
}

TEST(Replay, ALinesOwnPythonComesOffTheGaps) {
  OpRun t;
  t.add(0, {0, 100, "aten::mm", SpanKind::op, 0, t.call_site(42)});
  t.add_step(0, 0, 1'000);
  TallyColumns& rows = t.run.tracks[0].tallies;
  rows.kind = {TallyKind::line};
  rows.step = {0}, rows.code = {1}, rows.where = {42};
  rows.hits = {1}, rows.inclusive = {700}, rows.exclusive = {700}, rows.extra_hits = {0},
  rows.extra_ns = {0};
  const Built built(t.run);
  EXPECT_EQ(built.walls(scaled("train.py:42", 0))[0], 300);  // 600 of Python and the op
  EXPECT_EQ(built.walls(scaled("forward", 0.5))[0], 650);    // the function
  EXPECT_EQ(built.walls(scaled("train.py:41", 0))[0], 1'000);
}

// For any rows, a graph without changes repeats the run: the steps of the thread sum to their wall
// times.
TEST(Replay, OddRunsAreReplayedAsTheyWere) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    GpuRun t;
    const std::uint32_t engine = t.add_thread();
    for (std::uint32_t i = 0; i < 40; ++i) {
      const auto start = static_cast<std::int64_t>(random() % 900'000),
                 length = static_cast<std::int64_t>(random() % 60'000);
      switch (random() % 9) {
        case 0:
          t.launch(start, length, i);
          break;
        case 1:
          t.kernel(t.stream, start, length, static_cast<std::uint32_t>(random() % 40));
          break;
        case 2:
          t.add(0, {start, length, "cuStreamSynchronize", SpanKind::sync});
          break;
        case 3:
          t.add(engine, {start, length, "MulBackward0", SpanKind::backward});
          break;
        case 4:
          t.add(0, {start, length, "input", SpanKind::loader});
          break;
        case 5:
          t.add(engine, {start, length, "gloo:all_reduce", SpanKind::annotation});
          break;
        case 6:
          t.add(0, {start, length, "train_step", SpanKind::dispatch});
          break;
        case 7:
          t.add(engine, {start, length, "MatMul"});
          break;
        default:
          t.add(0, {start, length, "aten::mm"});
          break;
      }
    }
    t.add_step(0, 0, 500'000);
    t.add_step(0, 500'000, 480'000);
    const Built built(t.run);
    for (std::size_t i = 0; i < built.graph.tasks.size(); ++i)
      for (const Dependency& need : built.graph.tasks[i].needs)
        EXPECT_TRUE(need.task == kNone || need.task < i);
    const std::vector<std::int64_t> walls = built.walls({});
    // Spans that cross (a thread in two spans at once, work before its launch) may shift a wait,
    // but only a little, and never below 0.
    ASSERT_EQ(walls.size(), 2u);
    EXPECT_GE(walls[0], 0);
    EXPECT_NEAR(static_cast<double>(walls[0] + walls[1]), 980'000, 0.25 * 980'000) << seed;
  }
}

}  // namespace
}  // namespace laptime::replay
