#include "trace/time/device_time.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <string_view>
#include <utility>

#include "trace/analysis.h"
#include "trace/testing/op_runs.h"

namespace laptime {
namespace {

constexpr std::string_view kAllReduce = "ncclDevKernel_AllReduce";

std::int64_t at(const std::array<std::int64_t, kDeviceCategories>& ns, DeviceCategory category) {
  return ns[static_cast<std::size_t>(category)];
}

// The number of the step's moments that lie in spans of the kinds, counted one by one.
std::int64_t moments(const OpRun& t, const std::vector<std::uint32_t>& tracks, const Step& step,
                     std::initializer_list<std::string_view> names) {
  std::vector<bool> covered(static_cast<std::size_t>(step.wall_ns));
  for (const std::uint32_t track : tracks) {
    const SpanColumns& spans = t.run.tracks[track].spans;
    for (std::size_t row = 0; row < spans.size(); ++row)
      if (std::find(names.begin(), names.end(), t.run.strings[spans.name[row]]) != names.end())
        for (std::int64_t time = std::max(spans.start[row], step.start_ns);
             time < std::min(spans.end(row), step.start_ns + step.wall_ns); ++time)
          covered[static_cast<std::size_t>(time - step.start_ns)] = true;
  }
  return std::count(covered.begin(), covered.end(), true);
}

// Work on two streams of one GPU that crosses itself and the steps' ends, with waits and syncs on
// the stepping thread.
TEST(DeviceTime, SumsToTheWallTimeAndTellsExposedFromOverlapped) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    OpRun t;
    const std::vector<std::uint32_t> streams{t.add_stream(0, 7), t.add_stream(0, 13)};
    const std::pair<std::string_view, SpanKind> work[] = {{"kernel", SpanKind::kernel},
                                                          {"copy", SpanKind::copy},
                                                          {"fill", SpanKind::fill},
                                                          {kAllReduce, SpanKind::kernel}};
    const SpanKind waits[] = {SpanKind::loader, SpanKind::sync};
    for (int i = 0; i < 40; ++i) {
      const auto& [name, kind] = work[random() % 4];
      t.add(streams[random() % 2], {static_cast<std::int64_t>(random() % 900),
                                    static_cast<std::int64_t>(random() % 40), name, kind});
    }
    for (int i = 0; i < 10; ++i)
      t.add(0, {static_cast<std::int64_t>(random() % 900), static_cast<std::int64_t>(random() % 60),
                "wait", waits[random() % 2]});
    for (std::int64_t start = 0; start < 900; start += 90) t.add_step(0, start, 90);
    const Analysis analysis(t.run);
    ASSERT_FALSE(analysis.device_steps().all.empty());
    for (const DeviceStep& s : analysis.device_steps().all) {
      ASSERT_EQ(std::accumulate(s.exposed.begin(), s.exposed.end(), std::int64_t{0}),
                s.step.wall_ns)
          << seed;
      ASSERT_EQ(at(s.exposed, DeviceCategory::compute), moments(t, streams, s.step, {"kernel"}))
          << seed;
      ASSERT_EQ(at(s.exposed, DeviceCategory::communication) +
                    at(s.overlapped, DeviceCategory::communication),
                moments(t, streams, s.step, {kAllReduce}))
          << seed;
      ASSERT_EQ(at(s.exposed, DeviceCategory::copies) + at(s.overlapped, DeviceCategory::copies),
                moments(t, streams, s.step, {"copy", "fill"}))
          << seed;
      const std::int64_t busy = moments(t, streams, s.step, {"kernel", "copy", "fill", kAllReduce});
      ASSERT_EQ(at(s.exposed, DeviceCategory::compute) +
                    at(s.exposed, DeviceCategory::communication) +
                    at(s.exposed, DeviceCategory::copies),
                busy)
          << seed;
    }
  }
}

// Recording rests in some steps. Their launches are not recorded, and work that recorded steps
// launch begins late.
TEST(DeviceTime, ARecordedStepIsSplitOrLeftOut) {
  std::size_t left_out = 0, split = 0;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    OpRun t;
    t.run.processes[0].properties["gpu"] = "cupti";
    const std::uint32_t stream = t.add_stream(0, 7);
    constexpr std::int64_t kStep = 100'000;
    const auto lead = static_cast<std::int64_t>(random() % 3 * kStep);
    std::size_t recorded = 0;
    for (std::int64_t number = 0; number < 12; ++number) {
      const std::int64_t start = number * kStep;
      const bool records = number % 6 > static_cast<std::int64_t>(random() % 3);
      t.add_step(0, start, kStep, records);
      if (!records) continue;
      ++recorded;
      const std::uint64_t link = LaunchLink::pack(1, static_cast<std::uint32_t>(number));
      t.add(0, {start, 1'000, "cuLaunchKernel", SpanKind::launch, link});
      t.add(stream, {start + 2'000 + lead, static_cast<std::int64_t>(random() % kStep), "kernel",
                     SpanKind::kernel, link});
    }
    const Analysis analysis(t.run);
    const DeviceSteps& steps = analysis.device_steps();
    for (const DeviceStep& s : steps.all) {
      ASSERT_EQ(std::accumulate(s.exposed.begin(), s.exposed.end(), std::int64_t{0}),
                s.step.wall_ns)
          << seed;
      ASSERT_FALSE(steps.left_out.contains({s.step.track, s.step.number})) << seed;
    }
    ASSERT_EQ(steps.all.size() + steps.left_out.size(), recorded) << seed;
    ASSERT_TRUE(lead > 0 || steps.left_out.empty()) << seed;
    split += steps.all.size();
    left_out += steps.left_out.size();
  }
  EXPECT_GT(split, 100u);
  EXPECT_GT(left_out, 100u);
}

}  // namespace
}  // namespace laptime
