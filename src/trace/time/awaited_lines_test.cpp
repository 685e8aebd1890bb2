#include "trace/time/awaited_lines.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "trace/analysis.h"
#include "trace/testing/op_runs.h"

namespace laptime {
namespace {

// By caller and call site.
using Times = std::map<std::pair<std::uint32_t, std::uint32_t>, double>;

Times times_of(const Run& run) {
  const Analysis analysis(run);
  Times times;
  for (const AwaitedLine& line : find_awaited_lines(run, analysis.steps(), analysis.ops()))
    times[{line.caller, line.call_site}] += line.ns;
  return times;
}

class AwaitedLines : public ::testing::Test {
 protected:
  OpRun t;
  const std::uint32_t first = t.add_thread(), second = t.add_thread();
  const std::uint32_t caller = t.call_site(22), conv = t.call_site(4), dense = t.call_site(5);
};

TEST_F(AwaitedLines, DivideTheTimeOfACallAmongTheOpsThatRun) {
  t.add(first, {10, 20, "Conv2D", SpanKind::op, 0, conv});
  t.add(second, {20, 20, "MatMul", SpanKind::op, 0, dense});
  t.add(0, {5, 60, "train_step", SpanKind::dispatch, 0, caller});
  t.add_step(0, 0, 100, 1);
  EXPECT_EQ(times_of(t.run), (Times{{{caller, conv}, 15}, {{caller, dense}, 15}}));
}

TEST_F(AwaitedLines, EndWithTheCallAndTheStep) {
  t.add(first, {0, 200, "Conv2D", SpanKind::op, 0, conv});
  t.add(0, {90, 30, "train_step", SpanKind::dispatch, 0, caller});
  t.add_step(0, 50, 50, 1);
  EXPECT_EQ(times_of(t.run), (Times{{{caller, conv}, 10}}));
}

TEST_F(AwaitedLines, BelongToTheInnermostOpAndTheOutermostCall) {
  const std::uint32_t inner_call = t.call_site(30);
  t.add(first, {20, 10, "MatMul", SpanKind::op, 0, dense});
  t.add(first, {10, 40, "While", SpanKind::op, 0, conv});
  t.add(0, {15, 20, "inner", SpanKind::dispatch, 0, inner_call});
  t.add(0, {0, 100, "outer", SpanKind::wait, 0, caller});
  t.add_step(0, 0, 100, 1);
  EXPECT_EQ(times_of(t.run), (Times{{{caller, conv}, 30}, {{caller, dense}, 10}}));
}

TEST_F(AwaitedLines, OpsOnTheCallersThreadCountToo) {
  t.add(0, {10, 20, "Conv2D", SpanKind::op, 0, conv});
  t.add(0, {0, 50, "train_step", SpanKind::dispatch, 0, caller});
  t.add_step(0, 0, 100, 1);
  EXPECT_EQ(times_of(t.run), (Times{{{caller, conv}, 20}}));
}

TEST_F(AwaitedLines, NeedAStepWithRecordedOpsAndACallWithALine) {
  t.add(first, {10, 20, "Conv2D", SpanKind::op, 0, conv});
  t.add(0, {0, 50, "train_step", SpanKind::dispatch, 0, caller});
  t.add_step(0, 0, 100, 0);
  t.add(first, {110, 20, "Conv2D", SpanKind::op, 0, conv});
  t.add(0, {100, 50, "train_step", SpanKind::dispatch});
  t.add_step(0, 100, 100, 1);
  EXPECT_EQ(times_of(t.run), Times{});
}

TEST_F(AwaitedLines, OpsOfAnotherProcessAreNotAwaited) {
  t.run.processes.emplace_back();
  const std::uint32_t other = t.add_thread(1);
  t.add(other, {10, 20, "Conv2D", SpanKind::op, 0, conv});
  t.add(0, {0, 50, "train_step", SpanKind::dispatch, 0, caller});
  t.add_step(0, 0, 100, 1);
  EXPECT_EQ(times_of(t.run), Times{});
}

}  // namespace
}  // namespace laptime
