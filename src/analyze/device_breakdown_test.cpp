#include "analyze/device_breakdown.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

#include "analyze/breakdown.h"
#include "analyze/op_runs.h"

namespace laptime {
namespace {

std::int64_t at(const std::array<std::int64_t, kDeviceCategories>& ns, DeviceCategory category) { return ns[static_cast<std::size_t>(category)]; }

// How many of the step's moments lie in spans of the kinds, one by one.
std::int64_t moments(const OpRun& t, const std::vector<std::uint32_t>& tracks, const Step& step, std::initializer_list<SpanKind> kinds) {
  std::vector<bool> covered(static_cast<std::size_t>(step.wall_ns));
  for (const std::uint32_t track : tracks) {
    const SpanColumns& spans = t.run.tracks[track].spans;
    for (std::size_t row = 0; row < spans.size(); ++row)
      if (std::find(kinds.begin(), kinds.end(), spans.kind[row]) != kinds.end())
        for (std::int64_t time = std::max(spans.start[row], step.start_ns); time < std::min(spans.end(row), step.start_ns + step.wall_ns); ++time)
          covered[static_cast<std::size_t>(time - step.start_ns)] = true;
  }
  return std::count(covered.begin(), covered.end(), true);
}

// Work of two streams of one GPU that crosses itself and the steps' ends, waits and syncs on the thread that steps.
TEST(DeviceTime, SumsToTheWallTimeAndTellsExposedFromOverlapped) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    OpRun t;
    const std::vector<std::uint32_t> streams{t.add_stream(0, 7), t.add_stream(0, 13)};
    const SpanKind work[] = {SpanKind::kernel, SpanKind::copy, SpanKind::fill, SpanKind::communication};
    const SpanKind waits[] = {SpanKind::loader, SpanKind::sync};
    for (int i = 0; i < 40; ++i)
      t.add(streams[random() % 2], {static_cast<std::int64_t>(random() % 900), static_cast<std::int64_t>(random() % 40), "work", work[random() % 4]});
    for (int i = 0; i < 10; ++i) t.add(0, {static_cast<std::int64_t>(random() % 900), static_cast<std::int64_t>(random() % 60), "wait", waits[random() % 2]});
    for (std::int64_t start = 0; start < 900; start += 90) t.add_step(0, start, 90);
    const Analysis analysis(t.run);
    ASSERT_FALSE(analysis.device_steps().empty());
    for (const DeviceStep& s : analysis.device_steps()) {
      ASSERT_EQ(std::accumulate(s.exposed.begin(), s.exposed.end(), std::int64_t{0}), s.step.wall_ns) << seed;
      ASSERT_EQ(at(s.exposed, DeviceCategory::compute), moments(t, streams, s.step, {SpanKind::kernel})) << seed;
      ASSERT_EQ(at(s.exposed, DeviceCategory::communication) + at(s.overlapped, DeviceCategory::communication), moments(t, streams, s.step, {SpanKind::communication})) << seed;
      ASSERT_EQ(at(s.exposed, DeviceCategory::copies) + at(s.overlapped, DeviceCategory::copies), moments(t, streams, s.step, {SpanKind::copy, SpanKind::fill})) << seed;
      const std::int64_t busy = moments(t, streams, s.step, {SpanKind::kernel, SpanKind::copy, SpanKind::fill, SpanKind::communication});
      ASSERT_EQ(at(s.exposed, DeviceCategory::compute) + at(s.exposed, DeviceCategory::communication) + at(s.exposed, DeviceCategory::copies), busy) << seed;
    }
  }
}

// A run of 40 steps, of which every fourth is recorded, with a kernel of 30 in it: compute and the sum of the device's view, and the mean step.
struct SteppedView {
  double compute = 0, sum = 0, mean = 0;
};
SteppedView view_of_steps(std::int64_t recorded_ns, std::int64_t rested_ns) {
  OpRun t;
  const std::uint32_t stream = t.add_stream(0, 7);
  std::int64_t start = 0;
  for (int step = 0; step < 40; ++step) {
    const bool recorded = step % 4 == 0;
    if (recorded) t.add(stream, {start, 30, "kernel", SpanKind::kernel});
    const std::int64_t wall = recorded ? recorded_ns : rested_ns;
    t.add_step(0, start, wall, recorded);
    start += wall;
  }
  const Analysis analysis(t.run);
  SteppedView view;
  double steady = 0;
  for (const Step& step : analysis.steps())
    if (step.kind == StepKind::steady) view.mean += static_cast<double>(step.wall_ns), ++steady;
  view.mean /= steady;
  for (const Row& row : breakdown_table(analysis).rows) {
    if (std::get<std::string>(row[0]) != "device") continue;
    view.sum += std::get<double>(row[2]);
    if (std::get<std::string>(row[1]) == "compute") view.compute = std::get<double>(row[2]);
  }
  return view;
}

TEST(DeviceTime, TheViewIsOfAMeanStep) {
  const SteppedView longer = view_of_steps(140, 100), shorter = view_of_steps(60, 100), busy = view_of_steps(30, 20);
  EXPECT_NEAR(longer.compute, 30, 1e-9);
  EXPECT_NEAR(shorter.compute, 30 * shorter.mean / 60, 1e-9);
  EXPECT_NEAR(busy.compute, busy.mean, 1e-9);
  for (const SteppedView& view : {longer, shorter, busy}) EXPECT_NEAR(view.sum, view.mean, 1e-9);
}

}  // namespace
}  // namespace laptime
