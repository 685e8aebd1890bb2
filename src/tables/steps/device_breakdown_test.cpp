#include "tables/steps/device_breakdown.h"

#include <gtest/gtest.h>

#include "tables/steps/breakdown.h"
#include "trace/analysis.h"
#include "trace/steps/steps.h"
#include "trace/testing/op_runs.h"

namespace laptime {
namespace {

// A run of 40 steps, of which every fourth is recorded, with a kernel of 30 in it: compute and the
// sum of the device's view, and the mean step.
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
  double count = 0;
  for (const Step& step : analysis.steps())
    if (step.counts) view.mean += static_cast<double>(step.wall_ns), ++count;
  view.mean /= count;
  for (const Row& row : breakdown_table(analysis).rows) {
    if (std::get<std::string>(row[0]) != "device") continue;
    view.sum += std::get<double>(row[2]);
    if (std::get<std::string>(row[1]) == "compute") view.compute = std::get<double>(row[2]);
  }
  return view;
}

TEST(DeviceBreakdown, TheViewIsOfAMeanStep) {
  const SteppedView longer = view_of_steps(140, 100), shorter = view_of_steps(60, 100),
                    busy = view_of_steps(30, 20);
  EXPECT_NEAR(longer.compute, 30, 1e-9);
  EXPECT_NEAR(shorter.compute, 30 * shorter.mean / 60, 1e-9);
  EXPECT_NEAR(busy.compute, busy.mean, 1e-9);
  for (const SteppedView& view : {longer, shorter, busy}) EXPECT_NEAR(view.sum, view.mean, 1e-9);
}

}  // namespace
}  // namespace laptime
