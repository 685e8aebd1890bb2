#include "replay/price/gpu_pricing.h"

#include <gtest/gtest.h>

#include "replay/graph/task_graph.h"
#include "replay/testing/gpu_runs.h"
#include "trace/analysis.h"

namespace laptime::replay {
namespace {

constexpr std::int64_t kStep = 1'000'000;

// Steps that launch one kernel of 600 µs, wait for it at line 9, and compute 300 µs in Python.
GpuRun waiting(int steps) {
  GpuRun t;
  const std::uint32_t line = t.call_site(9);
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(steps); ++i) {
    const std::int64_t at = i * kStep;
    t.launch(at + 50'000, 10'000, i);
    t.add(0, {at + 70'000, 605'000, "cuStreamSynchronize", SpanKind::sync, 0, line});
    t.add_step(0, at, kStep, 1);
    t.kernel(t.stream, at + 70'000, 600'000, i, "slow");
  }
  return t;
}

Changes no_waits(const char* pattern) {
  Changes changes;
  changes.no_waits.push_back(pattern);
  return changes;
}

TEST(GpuPricing, WithoutTheWaitHostAndGpuWorkBesideEachOther) {
  const GpuRun t = waiting(8);
  const Built built(t.run);
  const std::int64_t plain = built.walls({})[4];
  EXPECT_NEAR(static_cast<double>(plain), kStep, 5'000);  // less the recorder's share
  // The kernel takes 600, the host 395. In the long run the GPU bounds the step, with a microsecond
  // between two kernels.
  EXPECT_EQ(built.walls(no_waits("*"))[4], 601'000);
  EXPECT_EQ(built.walls(no_waits("train.py:9"))[4], 601'000);
  EXPECT_EQ(built.walls(no_waits("train.py:8"))[4], plain);
  EXPECT_EQ(built.walls(scaled("train.py:9", 0))[4], 601'000);
}

// Like .cpu(): the copy's call lasts until the kernel and the copy are done.
TEST(GpuPricing, ACopyToPageableMemoryIsWaitedForInItsCall) {
  GpuRun t;
  const std::uint32_t line = t.call_site(9);
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::int64_t at = i * kStep;
    t.launch(at + 50'000, 10'000, 2 * i);
    t.add(0, {at + 70'000, 610'000, "cuMemcpyDtoHAsync_v2", SpanKind::launch,
              LaunchLink::pack(1, 2 * i + 1), line});
    t.add_step(0, at, kStep, 1);
    t.kernel(t.stream, at + 70'000, 600'000, 2 * i, "slow");
    t.add(t.stream, {at + 671'000, 4'000, "Memcpy DtoH (Device -> Pageable)", SpanKind::copy,
                     LaunchLink::pack(1, 2 * i + 1)});
  }
  const Built built(t.run);
  EXPECT_NEAR(static_cast<double>(built.walls({})[4]), kStep, 5'000);
  // The GPU bounds the step, with a microsecond before the kernel and before the copy.
  EXPECT_EQ(built.walls(no_waits("train.py:9"))[4], 606'000);
}

TEST(GpuPricing, AHostThatIsAheadIsWaitedForByNobody) {
  GpuRun t;
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::int64_t at = i * kStep;
    t.launch(at + 50'000, 10'000, i);
    t.add_step(0, at, kStep, 1);
    t.kernel(t.stream, at + 70'000, 600'000, i, "slow");
  }
  const Built built(t.run);
  EXPECT_EQ(built.walls({})[4], kStep - 2'500);  // the recorder's share of a launch
  EXPECT_EQ(built.walls(scaled("slow", 0.5))[4], kStep - 2'500);
  // The recorded host does not wait, but now it must.
  EXPECT_EQ(built.walls(scaled("slow", 3))[4], 1'801'000);
}

TEST(GpuPricing, ALaunchWaitsForRoomInTheQueue) {
  GpuRun t;
  // 1,100 launches of 1 µs at once, kernels of 10 µs. Launches beyond the queue wait for a kernel
  // to end.
  std::int64_t now = 0;
  for (std::uint32_t i = 0; i < 1'100; ++i) {
    const std::int64_t room = i < 1'022 ? 0 : (i - 1'022 + 1) * 10'000;
    const std::int64_t end = std::max(now + 1'000, room + 500);
    t.launch(now, end - now, i);
    t.kernel(t.stream, i * 10'000, 10'000, i, "slow");
    now = end;
  }
  t.add_step(0, 0, now, 1);
  const Built built(t.run);
  std::size_t waiting = 0;
  for (const Task& task : built.graph.tasks) waiting += task.wait == Wait::queue;
  EXPECT_EQ(waiting, 78u);
  const Replay slower = replay(
      built.graph, Pricing(built.source, scaled("slow", 2)).prices(built.graph, Outlook::expected));
  const StepEnds ends = step_ends(built.graph, slower);
  EXPECT_NEAR(static_cast<double>(ends.host[0]), 2 * 780'000, 5'000);
  EXPECT_NEAR(static_cast<double>(ends.all[0]), 2 * 11'000'000, 5'000);
}

TEST(GpuPricing, WorkFromBeforeTheGraphIsStillToBeDone) {
  GpuRun t;
  for (std::uint32_t i = 0; i < 4; ++i) {
    t.launch(i * 1'000, 500, i);
    t.kernel(t.stream, 1'000 + i * 300'000, 300'000, i, "slow");
  }
  t.add_step(0, 0, 100'000, 1);
  t.add(0, {110'000, 1'100'000, "cuStreamSynchronize", SpanKind::sync});
  t.add_step(0, 100'000, 1'200'000, 1);
  const Analysis analysis(t.run);
  const GraphSource source(analysis);
  const TaskGraph graph = build_task_graph(source, std::span(analysis.host_steps()).subspan(1));
  const auto end = [&](const Changes& changes) {
    return step_ends(graph,
                     replay(graph, Pricing(source, changes).prices(graph, Outlook::expected)))
        .host[0];
  };
  EXPECT_EQ(end(scaled("slow", 0.5)), end({}) - 600'000);
}

TEST(GpuPricing, CopiesFromPinnedMemoryAreNotWaitedFor) {
  GpuRun t;
  t.add(0, {0, 900'000, "cuMemcpyHtoDAsync_v2", SpanKind::launch, LaunchLink::pack(1, 1)});
  t.add(0, {900'000, 50'000, "cuStreamSynchronize", SpanKind::sync});
  t.launch(960'000, 10'000, 2);
  t.launch(980'000, 10'000, 3);
  t.add(0, {990'000, 210'000, "cuStreamSynchronize", SpanKind::sync});
  t.add_step(0, 0, 1'300'000, 1);
  t.add(t.stream, {100'000, 840'000, "Memcpy HtoD (Pageable -> Device)", SpanKind::copy,
                   LaunchLink::pack(1, 1)});
  t.set_bytes(t.stream, 8'000'000);
  t.kernel(t.stream, 970'000, 100'000, 2);
  t.kernel(t.stream, 1'071'000, 100'000, 3);
  const Built built(t.run);
  Changes changes;
  changes.pinned = true;
  EXPECT_NEAR(static_cast<double>(built.walls({})[0]), 1'300'000, 15'000);
  // 10 for the call, 200 for the copy at 40 GB/s, which begins 100 after it; the kernels behind it,
  // and what follows on the host.
  const std::int64_t wall = built.walls(changes)[0];
  EXPECT_GT(wall, 500'000);
  EXPECT_LT(wall, 680'000);
  EXPECT_GT(built.walls(changes, Outlook::worst)[0], wall + 800'000 / 2);
}

TEST(GpuPricing, ABatchMakesKernelsLongerNotTheHost) {
  GpuRun t;
  t.launch(30'000, 10'000, 1);
  t.add(0, {10'000, 90'000, "aten::mm"});
  t.add(0, {110'000, 60'000, "aten::index"});  // no launch: the CPU's own work
  t.add_step(0, 0, 1'000'000, 1);              // 830 of Python behind it
  t.kernel(t.stream, 40'000, 50'000, 1);
  const Built built(t.run);
  Changes changes;
  changes.batch = 2;
  EXPECT_EQ(built.walls(changes)[0], built.walls({})[0] + 49'400 +
                                         730'000);  // 60 less the recorder's share and a fixed part
  EXPECT_LT(built.walls(changes, Outlook::best)[0], 1'050'000);
  for (const Task& task : built.graph.tasks) {
    if (task.kind != TaskKind::kernel) continue;
    const Replay grown =
        replay(built.graph, Pricing(built.source, changes).prices(built.graph, Outlook::expected));
    const auto at = static_cast<std::size_t>(&task - built.graph.tasks.data());
    EXPECT_EQ(grown.end[at] - grown.start[at], 4'000 + 2 * 46'000);
  }
}

TEST(GpuPricing, WorkOfOneLineIsScaledThereOnly) {
  GpuRun t;
  for (const std::uint32_t line : {7u, 8u}) {
    const std::int64_t at = line == 7 ? 10'000 : 450'000;
    t.add(0, {at, 5'000, "cuLaunchKernel", SpanKind::launch, LaunchLink::pack(1, line),
              t.call_site(line)});
    t.kernel(t.stream, at + 10'000, 400'000, line);
  }
  t.add(0, {870'000, 30'000, "cuStreamSynchronize", SpanKind::sync});
  t.add_step(0, 0, kStep, 1);
  const Built built(t.run);
  Changes changes = work_change(
      [](std::string_view kernel, std::string_view) { return kernel == "kernel"; }, 0.5, 0.5, 0.5);
  const auto kernels = [&](const char* at) {
    changes.work.back().at = at;
    const Prices prices = Pricing(built.source, changes).prices(built.graph, Outlook::expected);
    std::vector<std::int64_t> own;
    for (std::size_t i = 0; i < built.graph.tasks.size(); ++i)
      if (built.graph.tasks[i].kind == TaskKind::kernel) own.push_back(prices.own[i]);
    return own;
  };
  EXPECT_EQ(kernels(""), (std::vector<std::int64_t>{200'000, 200'000}));
  EXPECT_EQ(kernels("train.py:8"), (std::vector<std::int64_t>{400'000, 200'000}));
  EXPECT_EQ(kernels("train.py:9"), (std::vector<std::int64_t>{400'000, 400'000}));
}

// Twenty numbers, each made on the host and awaited, and one batch.
TEST(GpuPricing, CopiesOfAFewBytesArePacked) {
  GpuRun t;
  const auto copy = [&](std::int64_t at, std::uint32_t number, std::uint64_t bytes) {
    t.add(0, {at, 10'000, "cuMemcpyHtoDAsync_v2", SpanKind::launch, LaunchLink::pack(1, number)});
    t.add(0, {at + 10'000, 10'000, "cuStreamSynchronize", SpanKind::sync});
    t.add(t.stream, {at + 12'000, 2'000, "Memcpy HtoD (Pageable -> Device)", SpanKind::copy,
                     LaunchLink::pack(1, number)});
    t.set_bytes(t.stream, bytes);
  };
  for (std::uint32_t i = 0; i < 20; ++i) copy(i * 40'000, i, 4);
  copy(800'000, 20, 1'000'000);
  t.add_step(0, 0, kStep, 1);
  const Built built(t.run);
  Changes packed;
  packed.packed = true;
  const std::int64_t plain = built.walls({})[0], expected = built.walls(packed)[0];
  // Calls of 7.5 without the recorder's share shrink to 30 %. Waits of 10 disappear.
  EXPECT_NEAR(static_cast<double>(plain - expected), 20 * (0.7 * 7'500 + 10'000), 20 * 1'000);
  EXPECT_LT(built.walls(packed, Outlook::best)[0], expected);
  EXPECT_NEAR(static_cast<double>(plain - built.walls(packed, Outlook::worst)[0]),
              10 * (0.5 * 7'500 + 10'000), 20 * 1'000);
}

}  // namespace
}  // namespace laptime::replay
