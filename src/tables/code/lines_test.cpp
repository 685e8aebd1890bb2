#include "tables/code/lines.h"

#include <gtest/gtest.h>
#include <fstream>

#include "format/sources/source_text.h"
#include "trace/analysis.h"
#include "trace/testing/tally_runs.h"

namespace laptime {
namespace {

Cell cell(const Table& table, std::size_t row, std::string_view column) {
  return table.rows.at(row).at(*find_column(table, column));
}
Cell number(std::int64_t n) { return n; }

TEST(Lines, SumsStepsAndEqualCodes) {
  TallyRun t;
  const auto first = t.code("a.py", 10, "f"), same = t.code("a.py", 10, "f"),
             other = t.code("a.py", 10, "g");
  t.add(TallyKind::line, first, 11, {2, 100, 60});
  t.add(TallyKind::line, same, 11, {1, 50, 20});
  t.add(TallyKind::line, first, 12, {1, 50, 50});
  t.add(TallyKind::line, other, 11, {1, 10, 10});
  const Table table = lines_table(Analysis(t.run));
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(cell(table, 0, "hits"), number(3));
  EXPECT_EQ(cell(table, 0, "time_ns"), number(150));
  EXPECT_EQ(cell(table, 0, "self_ns"), number(80));
  EXPECT_EQ(cell(table, 0, "share"), Cell(0.75));
  EXPECT_EQ(cell(table, 0, "per_hit_ns"), Cell(50.0));
  EXPECT_EQ(cell(table, 0, "gpu_ns"), kUnknown);
  EXPECT_EQ(cell(table, 0, "step_p50_ns"), kUnknown);
  EXPECT_EQ(cell(table, 0, "warmup_ns"), kUnknown);
  EXPECT_EQ(cell(table, 2, "function"), Cell("g"));
}

TEST(Lines, FunctionsTooCostlyToTimeByLineAreOneRowAtTheirFirstLine) {
  TallyRun t;
  const auto called = t.code("a.py", 10, "f", kCodeDemotedToCalls),
             counted = t.code("a.py", 20, "g", kCodeDemotedToCounts);
  t.add(TallyKind::line, called, 0, {5, 100, 60});
  t.add(TallyKind::line, called, 11, {1, 1, 1});
  t.add(TallyKind::line, counted, 0, {7, 0, 0});
  const Table table = lines_table(Analysis(t.run));
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(cell(table, 0, "line"), number(10));
  EXPECT_EQ(cell(table, 0, "level"), Cell("call"));
  EXPECT_EQ(cell(table, 1, "level"), Cell("line"));
  EXPECT_EQ(cell(table, 2, "level"), Cell("count"));
  EXPECT_EQ(cell(table, 2, "hits"), number(7));
  EXPECT_EQ(cell(table, 2, "time_ns"), kUnknown);
  EXPECT_EQ(cell(table, 2, "share"), kUnknown);
}

TEST(Lines, TellsTheTypicalStepWithoutWarmup) {
  TallyRun t;
  const auto code = t.code("a.py", 1, "f");
  for (std::uint32_t step = 0; step < 6; ++step) t.add_step(step * 100, 100);
  t.add(TallyKind::line, code, 2, {1, 90, 90, 0, 0});  // warmup
  for (std::uint32_t step = 1; step < 4; ++step)
    t.add(TallyKind::line, code, 2, {1, 10 * step, 0, 0, step});
  t.add(TallyKind::line, code, 2, {1, 1000, 0, 0, 6});  // after the last step
  t.add(TallyKind::line, code, 3, {1, 5, 5, 0, 0});
  const Table table = lines_table(Analysis(t.run));
  // Steps 1 to 5 took 10, 20, 30, 0, 0.
  EXPECT_EQ(cell(table, 0, "time_ns"), number(1150));
  EXPECT_EQ(cell(table, 0, "step_p50_ns"), number(10));
  EXPECT_EQ(cell(table, 0, "step_p95_ns"), number(30));
  EXPECT_EQ(cell(table, 0, "warmup_ns"), number(90));
  EXPECT_EQ(cell(table, 1, "step_p50_ns"), kUnknown);
  EXPECT_EQ(cell(table, 1, "warmup_ns"), number(5));
}

TEST(Lines, StepsOfOtherPhasesDoNotDilute) {
  TallyRun t;
  const auto code = t.code("a.py", 1, "f");
  for (std::uint32_t step = 0; step < 8; ++step)
    t.add_step(step * 100, 100, step % 2 ? "train" : "test");
  for (std::uint32_t step = 1; step < 8; step += 2)
    t.add(TallyKind::line, code, 2, {1, 10, 10, 0, step});
  EXPECT_EQ(cell(lines_table(Analysis(t.run)), 0, "step_p50_ns"), number(10));
}

TEST(Lines, WithoutSelfTimesTheyAreUnknown) {
  TallyRun t;
  t.run.processes[0].properties["line_self_time"] = "unknown";
  t.add(TallyKind::line, t.code("a.py", 1, "f"), 2, {1, 10, 0});
  EXPECT_EQ(cell(lines_table(Analysis(t.run)), 0, "self_ns"), kUnknown);
}

TEST(Lines, ShowsTheSourceThatTheRunHolds) {
  TallyRun t;
  const std::string text = "def f():\n    return 1";
  t.run.sources["a.py"] = {static_cast<std::uint32_t>(text.size()), text};
  const auto code = t.code("a.py", 1, "f");
  t.add(TallyKind::line, code, 1, {1, 30, 0});
  t.add(TallyKind::line, code, 2, {1, 20, 0});
  t.add(TallyKind::line, code, 3, {1, 10, 0});
  t.add(TallyKind::line, t.code("<stdin>", 1, "g"), 1, {1, 5, 0});
  const Table table = lines_table(Analysis(t.run));
  EXPECT_EQ(cell(table, 0, "source"), Cell("def f():"));
  EXPECT_EQ(cell(table, 1, "source"), Cell("    return 1"));
  EXPECT_EQ(cell(table, 2, "source"), kUnknown);
  EXPECT_EQ(cell(table, 3, "source"), kUnknown);
}

TEST(Lines, OpensNoFileThatTheRunNames) {
  const std::string name = testing::TempDir() + "laptime_lines_test.py";
  std::ofstream(name) << "secret = 1\n";
  TallyRun t;
  t.add(TallyKind::line, t.code(name, 1, "f"), 1, {1, 5, 0});
  EXPECT_EQ(cell(lines_table(Analysis(t.run)), 0, "source"), kUnknown);
  std::remove(name.c_str());
}

TEST(Lines, SaysThatSourceWasLeftOut) {
  TallyRun t;
  t.run.processes[0].properties["source_text"] = "left out";
  t.add(TallyKind::line, t.code("a.py", 1, "f"), 1, {1, 5, 0});
  EXPECT_EQ(lines_table(Analysis(t.run)).title, "Lines; source left out (--no-source)");
}

TEST(Lines, ShowNoSourceThatIsDamagedOrUnpacksToMoreThanItSays) {
  const std::string text(1000, 'a');
  const PackedSource packed = pack_source(text);
  for (const std::uint32_t size : {999u, 1001u, 3u << 20, 0xffffffffu}) {
    TallyRun t;
    t.run.sources["a.py"] = {size, std::string(packed.fact(0).stored)};
    t.add(TallyKind::line, t.code("a.py", 1, "f"), 1, {1, 5, 0});
    EXPECT_EQ(cell(lines_table(Analysis(t.run)), 0, "source"), kUnknown) << size;
  }
  TallyRun good;
  good.run.sources["a.py"] = {packed.raw_size, std::string(packed.fact(0).stored)};
  good.add(TallyKind::line, good.code("a.py", 1, "f"), 1, {1, 5, 0});
  EXPECT_EQ(cell(lines_table(Analysis(good.run)), 0, "source"), Cell(text));
}

}  // namespace
}  // namespace laptime
