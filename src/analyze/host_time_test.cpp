#include "analyze/host_time.h"

#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>

#include "analyze/breakdown.h"
#include "analyze/op_runs.h"

namespace laptime {
namespace {

std::int64_t at(const HostStep& s, HostCategory c) { return s.exposed[static_cast<std::size_t>(c)]; }

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

// Rows that cross each other and the steps' ends, on three threads.
OpRun odd_run(std::uint32_t seed) {
  std::mt19937 random(seed);
  OpRun t;
  t.run.processes[0].properties["python"] = "3.11";
  t.add_thread();
  t.add_thread();
  const SpanKind kinds[] = {SpanKind::op,     SpanKind::backward,  SpanKind::annotation, SpanKind::optimizer, SpanKind::gc,
                            SpanKind::loader, SpanKind::compile, SpanKind::allocate,   SpanKind::scope};
  const std::string_view names[] = {"aten::mm", "aten::copy_", "Optimizer.step#SGD.step", "MulBackward0"};
  for (int i = 0; i < 150; ++i)
    t.add(random() % 3, {static_cast<std::int64_t>(random() % 1000) - 20, static_cast<std::int64_t>(random() % 60), names[random() % 4], kinds[random() % 9]});
  for (std::int64_t start = 0, i = 0; i < 12; ++i) {
    const std::int64_t wall = 20 + static_cast<std::int64_t>(random() % 100);
    t.add_step(0, start, wall, static_cast<int>(random() % 3) - 1, i % 4 == 3 ? "validation" : "train");
    start += wall;
  }
  return t;
}

TEST(HostTime, CategoriesSumToTheWallTimeOfEveryStep) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const OpRun t = odd_run(seed);
    const Analysis analysis(t.run);
    for (const HostStep& s : analysis.host_steps()) {
      ASSERT_EQ(std::accumulate(s.exposed.begin(), s.exposed.end(), std::int64_t{0}), s.step.wall_ns);
      for (std::size_t c = 0; c < kHostCategories; ++c) {
        ASSERT_GE(s.exposed[c], 0);
        ASSERT_LE(s.overlapped[c] + s.exposed[c], s.step.wall_ns);
      }
    }
  }
}

TEST(Breakdown, SharesOfEachPhaseSumToOne) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::map<std::string, double> shares;
    for (const Row& row : breakdown_table(Analysis(odd_run(seed).run)).rows) shares[std::get<std::string>(row[6])] += std::get<double>(row[3]);
    ASSERT_EQ(shares.size(), 2u);
    for (const auto& [phase, sum] : shares) ASSERT_NEAR(sum, 1, 1e-9) << phase << " of run " << seed;
  }
}

}  // namespace
}  // namespace laptime
