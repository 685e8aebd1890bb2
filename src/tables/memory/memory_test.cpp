#include <gtest/gtest.h>
#include <array>

#include <map>
#include <random>

#include "tables/memory/memory.h"
#include "tables/memory/memory_curve.h"
#include "tables/memory/memory_growth.h"
#include "tables/memory/memory_steps.h"
#include "trace/analysis.h"
#include "trace/memory/memory_peak.h"
#include "trace/memory/op_memory.h"
#include "trace/testing/op_runs.h"

namespace laptime {
namespace {

class MemoryRun : public OpRun {
 public:
  void mark(std::uint32_t track, std::int64_t time, SpanKind kind, std::uint64_t address,
            std::uint64_t bytes, std::string_view name = "cpu") {
    add(track, {time, 0, name, kind, address});
    set_bytes(track, bytes);
  }
  void allocate(std::int64_t time, std::uint64_t address, std::uint64_t bytes,
                std::uint32_t track = 0) {
    mark(track, time, SpanKind::allocate, address, bytes);
  }
  void release(std::int64_t time, std::uint64_t address, std::uint32_t track = 0) {
    mark(track, time, SpanKind::release, address, 0);
  }
  void role(std::int64_t time, std::uint64_t address, std::uint64_t bytes, std::string_view role) {
    mark(0, time, SpanKind::tensor_role, address, bytes, role);
  }
  std::vector<MemoryPeak> peaks() const { return Analysis(run).memory_peaks(); }
};

std::map<std::string, std::uint64_t> by_category(const MemoryPeak& peak) {
  std::map<std::string, std::uint64_t> sums;
  for (const PeakBlock& block : peak.blocks)
    sums[category_name(block.category)] += block.block.bytes;
  return sums;
}

std::int64_t integer(const Table& table, std::size_t row, std::string_view column) {
  return std::get<std::int64_t>(table.rows.at(row).at(*find_column(table, column)));
}

TEST(Memory, PeakIsTheMostThatWasAliveAtOnce) {
  MemoryRun r;
  r.allocate(10, 0x1000, 100);
  r.allocate(20, 0x2000, 50);
  r.release(30, 0x1000);
  r.allocate(40, 0x1000, 70);
  const auto peaks = r.peaks();
  ASSERT_EQ(peaks.size(), 1u);
  EXPECT_EQ(peaks[0].bytes, 150u);
  EXPECT_EQ(peaks[0].time_ns, 20);
  EXPECT_EQ(peaks[0].blocks.at(0).block.died_ns, 30);
  EXPECT_EQ(peaks[0].blocks.at(1).block.died_ns, INT64_MAX);
}

TEST(Memory, OddRecordsChangeNothingElse) {
  MemoryRun r;
  r.release(5, 0x9000);  // of what was never allocated
  r.allocate(10, 0x1000, 100);
  r.release(20, 0x1000);
  r.release(21, 0x1000);  // twice
  r.allocate(30, 0x2000, 10);
  r.allocate(40, 0x2000, 30);  // the release in between was lost
  r.allocate(45, 0, 1000);     // no address
  r.release(50, 0x2000);
  const auto curves = memory_curves(Analysis(r.run));
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves[0].points.back().bytes, 0u);
  EXPECT_EQ(r.peaks().at(0).bytes, 100u);
}

TEST(Memory, ThreadsAreMergedByTime) {
  MemoryRun r;
  const std::uint32_t other = r.add_thread();
  r.allocate(10, 0x1000, 100);
  r.allocate(30, 0x1000, 40);
  r.release(20, 0x1000, other);
  r.allocate(25, 0x2000, 30, other);
  EXPECT_EQ(r.peaks().at(0).bytes, 100u);
  EXPECT_EQ(memory_curves(Analysis(r.run)).at(0).points.back().bytes, 70u);
}

TEST(Memory, ProcessesAndDevicesAreApart) {
  MemoryRun r;
  r.run.processes.emplace_back();
  const std::uint32_t other = r.add_thread(1);
  r.allocate(10, 0x1000, 100);
  r.mark(0, 11, SpanKind::allocate, 0x1000, 7, "cuda:0");
  r.allocate(12, 0x1000, 30, other);
  r.mark(0, 13, SpanKind::release, 0x1000, 0, "cuda:0");
  const auto peaks = r.peaks();
  ASSERT_EQ(peaks.size(), 3u);
  EXPECT_EQ(peaks[0].bytes, 100u);
  EXPECT_EQ(peaks[1].bytes, 7u);
  EXPECT_EQ(peaks[2].bytes, 30u);
  EXPECT_EQ(peaks[2].process, 1u);
}

TEST(Memory, CategoriesFollowTheStep) {
  MemoryRun r;
  const std::uint32_t conv = r.call_site(12, "conv"), loss = r.call_site(14);
  r.role(1, 0x100, 1000, "parameter");  // allocated before
  r.allocate(5, 0x200, 64);
  r.add(0, {4, 4, "input", SpanKind::loader});
  r.allocate(11, 0x300, 200);  // kept for backward
  r.allocate(12, 0x400, 300);  // released before
  r.add(0, {10, 5, "aten::conv2d", SpanKind::op, 0, conv});
  r.release(16, 0x400);
  r.allocate(18, 0x500, 40);
  r.add(0, {17, 2, "aten::nll_loss", SpanKind::op, 0, loss});
  r.allocate(32, 0x600, 1000);
  r.allocate(33, 0x700, 500);
  r.add(0, {31, 4, "aten::convolution_backward"});
  r.add(0, {30, 6, "ConvolutionBackward0", SpanKind::backward});
  r.role(40, 0x600, 1000, "gradient");
  r.add_step(0, 0, 50);
  const MemoryPeak peak = r.peaks().at(0);
  const std::map<std::string, std::uint64_t> expected{{"parameter", 1000},
                                                      {"input", 64},
                                                      {"activation", 240},
                                                      {"gradient", 1000},
                                                      {"temporary", 500}};
  EXPECT_EQ(by_category(peak), expected);
  const auto forward = std::find_if(peak.blocks.begin(), peak.blocks.end(),
                                    [](const PeakBlock& b) { return b.block.bytes == 200; });
  EXPECT_EQ(forward->call_site, conv);
  EXPECT_EQ(r.run.strings[forward->op], "aten::conv2d");
}

TEST(Memory, WhatWasAllocatedBeforeTheFirstStepIsNoActivation) {
  MemoryRun r;
  r.allocate(11, 0x300, 200);
  r.add(0, {10, 5, "aten::randn"});
  r.allocate(61, 0x400, 30);
  r.add(0, {60, 5, "aten::relu"});
  r.add(0, {70, 6, "ReluBackward0", SpanKind::backward});
  r.add_step(0, 50, 50);
  r.allocate(111, 0x500, 40);  // of a step that did not end
  r.add(0, {110, 5, "aten::relu"});
  r.add(0, {120, 6, "ReluBackward0", SpanKind::backward});
  const std::map<std::string, std::uint64_t> expected{{"before steps", 200}, {"activation", 70}};
  EXPECT_EQ(by_category(r.peaks().at(0)), expected);
}

TEST(Memory, WhatOutlivesItsStepWithoutBackwardIsNoActivation) {
  MemoryRun r;
  r.allocate(11, 0x300, 200);
  r.add(0, {10, 5, "aten::add"});
  r.add_step(0, 0, 50);
  r.add(0, {60, 6, "AddBackward0", SpanKind::backward});
  r.add_step(0, 50, 50);
  EXPECT_EQ(by_category(r.peaks().at(0)).count("temporary"), 1u);
}

TEST(Memory, GrowthIsFoundWhereItHappens) {
  MemoryRun r;
  const std::uint32_t leak = r.call_site(7), scratch = r.call_site(9);
  for (int step = 0; step < 12; ++step) {
    const std::int64_t t = step * 100;
    r.allocate(t + 11, 0x10000u + static_cast<std::uint64_t>(step) * 64, 48);
    r.add(0, {t + 10, 5, "aten::clone", SpanKind::op, 0, leak});
    if (step > 0) r.release(t + 20, 0x900);
    r.allocate(t + 31, 0x900, 5000);  // one always alive, of the same size
    r.add(0, {t + 30, 5, "aten::mm", SpanKind::op, 0, scratch});
    r.add_step(0, t, 100);
  }
  const auto growth = find_memory_growth(Analysis(r.run));
  ASSERT_EQ(growth.size(), 1u);
  EXPECT_EQ(r.run.call_sites[growth[0].call_site].line, 7u);
  EXPECT_DOUBLE_EQ(growth[0].bytes_per_step(), 48);
  EXPECT_EQ(growth[0].held_bytes, 12u * 48);
  EXPECT_EQ(growth[0].steps_grown, 10u);
}

TEST(Memory, WhatIsEmptiedAgainDoesNotGrow) {
  MemoryRun r;
  for (int step = 0; step < 12; ++step) {
    const std::int64_t t = step * 100;
    if (step % 4 == 0)
      for (int old = step - 4; old >= 0 && old < step; ++old)
        r.release(t + 1, 0x10000u + static_cast<std::uint64_t>(old) * 64);
    r.allocate(t + 11, 0x10000u + static_cast<std::uint64_t>(step) * 64, 48);
    r.add_step(0, t, 100);
  }
  EXPECT_TRUE(find_memory_growth(Analysis(r.run)).empty());
}

TEST(Memory, OpsHaveWhatTheyDidThemselves) {
  MemoryRun r;
  r.allocate(12, 0x1000, 100);
  r.allocate(14, 0x2000, 30);
  const std::uint32_t inner = r.add(0, {11, 5, "aten::empty"});
  r.release(18, 0x2000);
  const std::uint32_t outer = r.add(0, {10, 10, "aten::conv2d"});
  r.release(25, 0x1000);
  const Analysis analysis(r.run);
  const auto bytes = op_self_bytes(analysis.ops(), analysis.memory());
  EXPECT_EQ(bytes[0][inner], 130);
  EXPECT_EQ(bytes[0][outer], -30);
}

TEST(Memory, NothingRecordedGivesEmptyTables) {
  MemoryRun r;
  r.add_step(0, 0, 100);
  const Analysis analysis(r.run);
  for (const Table& table :
       {memory_table<MemoryGrouping::line>(analysis), memory_steps_table(analysis),
        memory_curve_table(analysis), memory_growth_table(analysis)})
    EXPECT_TRUE(table.rows.empty()) << table.name;
}

// What all analyses must agree on, for any program.
class RandomMemory : public ::testing::TestWithParam<unsigned> {};

TEST_P(RandomMemory, SumsAgree) {
  std::mt19937 random(GetParam());
  MemoryRun r;
  const std::uint32_t other = r.add_thread();
  std::map<std::uint64_t, std::uint64_t> live;  // the plain model
  std::uint64_t live_bytes = 0, peak = 0, step_peak = 0, allocated = 0, released = 0;
  std::vector<std::array<std::uint64_t, 4>> steps;  // peak, end, allocated, released
  std::int64_t step_start = 0;
  for (std::int64_t time = 1; time <= 6000; ++time) {
    const std::uint64_t address = 64 * (1 + random() % 200);
    const std::uint32_t track = random() % 4 == 0 ? other : 0;
    if (random() % 2 == 0) {
      if (const auto it = live.find(address); it != live.end()) {
        live_bytes -= it->second;
        released += it->second;
      }
      const std::uint64_t bytes = random() % 1000;
      r.allocate(time, address, bytes, track);
      live[address] = bytes;
      live_bytes += bytes;
      allocated += bytes;
    } else {
      r.release(time, address, track);
      if (const auto it = live.find(address); it != live.end()) {
        live_bytes -= it->second;
        released += it->second;
        live.erase(it);
      }
    }
    peak = std::max(peak, live_bytes);
    step_peak = std::max(step_peak, live_bytes);
    if (time % 600 != 0) continue;
    r.add_step(0, step_start, time + 1 - step_start);
    step_start = time + 1;
    steps.push_back({step_peak, live_bytes, allocated, released});
    step_peak = live_bytes;
    allocated = released = 0;
  }

  const MemoryPeak found = r.peaks().at(0);
  EXPECT_EQ(found.bytes, peak);
  std::uint64_t sum = 0;
  for (const auto& [category, bytes] : by_category(found)) sum += bytes;
  EXPECT_EQ(sum, peak);

  const MemoryCurve curve = memory_curves(Analysis(r.run)).at(0);
  EXPECT_LE(curve.points.size(), kCurvePoints);
  std::uint64_t highest = 0;
  std::int64_t last = INT64_MIN;
  for (const CurvePoint& point : curve.points) {
    highest = std::max(highest, point.bytes);
    EXPECT_GE(point.time_ns, last);
    last = point.time_ns;
  }
  EXPECT_EQ(highest, peak);

  const Table table = memory_steps_table(Analysis(r.run));
  ASSERT_EQ(table.rows.size(), steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(integer(table, i, "peak_bytes"), static_cast<std::int64_t>(steps[i][0])) << i;
    EXPECT_EQ(integer(table, i, "end_bytes"), static_cast<std::int64_t>(steps[i][1])) << i;
    EXPECT_EQ(integer(table, i, "allocated_bytes"), static_cast<std::int64_t>(steps[i][2])) << i;
    EXPECT_EQ(integer(table, i, "released_bytes"), static_cast<std::int64_t>(steps[i][3])) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMemory, ::testing::Range(0u, 12u));

}  // namespace
}  // namespace laptime
