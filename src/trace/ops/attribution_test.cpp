#include "trace/ops/attribution.h"

#include <gtest/gtest.h>
#include <functional>
#include <random>

#include "trace/testing/op_runs.h"

namespace laptime {
namespace {

OpAttribution attribute(const OpRun& t) { return attribute_ops(t.run, find_steps(t.run)); }

constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: MulBackward0";

// Evaluates a node: its evaluate_function with the node inside it, an op inside the node and one
// after it.
struct NodeRows {
  std::uint32_t evaluate, node, op, op_after;
};
NodeRows add_node(OpRun& t, std::uint32_t track, std::int64_t start, std::uint64_t link,
                  std::uint32_t call_site_of_ops = 0) {
  NodeRows rows{};
  rows.op = t.add(track, {start + 2, 2, "aten::mul", SpanKind::op, 0, call_site_of_ops});
  rows.node = t.add(track, {start + 1, 4, "MulBackward0", SpanKind::backward, link});
  rows.op_after = t.add(track, {start + 6, 1, "aten::add_", SpanKind::op, 0, call_site_of_ops});
  rows.evaluate = t.add(track, {start, 8, kEvaluate, SpanKind::backward});
  return rows;
}

void expect_call_sites(const TrackOps& ops, const NodeRows& rows, std::uint32_t call_site) {
  for (const std::uint32_t row : {rows.evaluate, rows.node, rows.op, rows.op_after}) {
    EXPECT_EQ(ops.call_site[row], call_site) << "row " << row;
    EXPECT_EQ(ops.pass[row], OpPass::backward);
  }
}

TEST(Attribution, AnInnerOpHasTheCallSiteOfTheOutermost) {
  OpRun t;
  const std::uint32_t line = t.call_site(4, "conv1"), region = t.call_site(3);
  const auto inner = t.add(0, {12, 5, "aten::_convolution"});
  const auto middle = t.add(0, {11, 8, "aten::convolution"});
  const auto outer = t.add(0, {10, 10, "aten::conv2d", SpanKind::op, 0, line});
  const auto annotation = t.add(0, {5, 20, "my region", SpanKind::annotation, 0, region});
  const TrackOps ops = std::move(attribute(t).tracks[0]);
  for (const auto row : {inner, middle, outer}) EXPECT_EQ(ops.call_site[row], line);
  EXPECT_EQ(ops.call_site[annotation], region);
  EXPECT_EQ(ops.tree.parent[inner], middle);
  EXPECT_EQ(ops.tree.parent[outer], annotation);
  EXPECT_EQ(ops.tree.self_ns[annotation], 10);
  EXPECT_TRUE(ops.is_outermost(t.run.tracks[0].spans, outer));
  EXPECT_FALSE(ops.is_outermost(t.run.tracks[0].spans, middle));
}

TEST(Attribution, BackwardTakesTheCallSiteOfTheLastForwardOpWithItsLink) {
  OpRun t;
  const std::uint32_t before = t.call_site(4), line = t.call_site(5, "fc");
  const std::uint32_t engine = t.add_thread();
  t.add(0, {0, 5, "aten::detach", SpanKind::op, 77, before});
  t.add(0, {12, 2, "aten::mul", SpanKind::op, 77});
  t.add(0, {10, 10, "aten::dropout", SpanKind::op, 77, line});
  const NodeRows same = add_node(t, 0, 100, 77), other = add_node(t, engine, 100, 77);
  const OpAttribution result = attribute(t);
  expect_call_sites(result.tracks[0], same, line);
  expect_call_sites(result.tracks[engine], other, line);
}

TEST(Attribution, BackwardOfATensorFlowOpKeepsItsOwnCallSite) {
  OpRun t;
  const std::uint32_t line = t.call_site(4, "model/dense"), inner = t.call_site(5);
  const std::uint32_t pool = t.add_thread();
  const auto first = t.add(0, {0, 10, "MatMul", SpanKind::backward, 0, line});
  const auto unknown = t.add(0, {20, 10, "Sum", SpanKind::backward});
  const auto op = t.add(pool, {2, 3, "Mul", SpanKind::op, 0, inner});
  const auto other = t.add(pool, {0, 10, "ReluGrad", SpanKind::backward, 0, line});
  const OpAttribution result = attribute(t);
  EXPECT_EQ(result.tracks[0].call_site[first], line);
  EXPECT_EQ(result.tracks[0].call_site[unknown], 0u);  // not that of the span before it
  EXPECT_EQ(result.tracks[pool].call_site[other], line);
  EXPECT_EQ(result.tracks[pool].call_site[op], inner);
  EXPECT_EQ(result.tracks[pool].pass[op], OpPass::backward);
  EXPECT_EQ(result.tracks[0].pass[unknown], OpPass::backward);
}

TEST(Attribution, NumbersThatComeRoundAgainBelongToTheirOwnTime) {
  OpRun t;
  const std::uint32_t first = t.call_site(4), second = t.call_site(5);
  t.add(0, {0, 5, "aten::mul", SpanKind::op, 7, first});
  const NodeRows early = add_node(t, 0, 100, 7);
  t.add(0, {200, 5, "aten::mul", SpanKind::op, 7, second});
  const NodeRows late = add_node(t, 0, 300, 7);
  const OpAttribution result = attribute(t);
  expect_call_sites(result.tracks[0], early, first);
  expect_call_sites(result.tracks[0], late, second);
}

TEST(Attribution, AnotherProcessHasItsOwnNumbers) {
  OpRun t;
  t.run.processes.emplace_back();
  const std::uint32_t other = t.add_thread(1), line = t.call_site(4);
  t.add(0, {0, 5, "aten::mul", SpanKind::op, 7, line});
  const NodeRows rows = add_node(t, other, 100, 7);
  expect_call_sites(attribute(t).tracks[other], rows, 0);
}

TEST(Attribution, AccumulateGradBelongsToTheNodeBeforeIt) {
  OpRun t;
  const std::uint32_t a = t.call_site(4), b = t.call_site(5);
  t.add(0, {0, 5, "aten::mul", SpanKind::op, 1, a});
  t.add(0, {10, 5, "aten::mul", SpanKind::op, 2, b});
  add_node(t, 0, 100, 2);
  const NodeRows grad_b = add_node(t, 0, 110, 0);
  add_node(t, 0, 120, 1);
  const NodeRows grad_a = add_node(t, 0, 130, 0), again = add_node(t, 0, 140, 0);
  const OpAttribution result = attribute(t);
  expect_call_sites(result.tracks[0], grad_b, b);
  expect_call_sites(result.tracks[0], grad_a, a);
  expect_call_sites(result.tracks[0], again, a);
}

TEST(Attribution, WithoutItsForwardOpANodeBelongsWhereItsOwnOpsDo) {
  OpRun t;
  const std::uint32_t hook = t.call_site(9);
  const NodeRows rows = add_node(t, 0, 100, 5, hook);
  expect_call_sites(attribute(t).tracks[0], rows, hook);
}

TEST(Attribution, ASecondDerivativeEndsAtTheFirstForwardOp) {
  OpRun t;
  const std::uint32_t line = t.call_site(4);
  t.add(0, {0, 5, "aten::pow", SpanKind::op, 1, line});
  t.add(0,
        {102, 2, "aten::mul", SpanKind::op, 2});  // made by the first backward, with create_graph
  t.add(0, {101, 5, "PowBackward0", SpanKind::backward, 1});
  const NodeRows rows = add_node(t, 0, 200, 2);
  expect_call_sites(attribute(t).tracks[0], rows, line);
}

TEST(Attribution, OpsOfPythonInsideANodeKeepTheirOwnCallSite) {
  OpRun t;
  const std::uint32_t checkpoint = t.call_site(4, "blocks.0"),
                      inside = t.call_site(20, "blocks.0.mlp"), outside_modules = t.call_site(21);
  t.add(0, {0, 5, "CheckpointFunction", SpanKind::op, 1, checkpoint});
  const auto again = t.add(0, {102, 2, "aten::linear", SpanKind::op, 0, inside});
  const auto also = t.add(0, {105, 2, "aten::gelu", SpanKind::op, 0, outside_modules});
  const auto plain = t.add(0, {108, 1, "aten::add"});
  t.add(0, {101, 9, "CheckpointFunctionBackward", SpanKind::backward, 1});
  const TrackOps ops = std::move(attribute(t).tracks[0]);
  EXPECT_EQ(ops.call_site[again], inside);
  EXPECT_EQ(ops.call_site[also], outside_modules);
  for (const auto row : {again, also, plain}) EXPECT_EQ(ops.pass[row], OpPass::backward);
  EXPECT_EQ(ops.call_site[plain], checkpoint);
}

TEST(Attribution, AllocationsBelongToTheOpThatMadeThem) {
  OpRun t;
  const std::uint32_t line = t.call_site(4);
  const auto inside = t.add(0, {12, 0, "cpu", SpanKind::allocate, 0x1000});
  const auto inner = t.add(0, {11, 3, "aten::empty"});
  t.add(0, {10, 10, "aten::zeros", SpanKind::op, 0, line});
  const auto outside = t.add(0, {30, 0, "cpu", SpanKind::release, 0x1000});
  const TrackOps ops = std::move(attribute(t).tracks[0]);
  EXPECT_EQ(ops.call_site[inside], line);
  EXPECT_EQ(ops.tree.parent[inside], inner);
  EXPECT_EQ(ops.pass[inside], OpPass::none);
  EXPECT_EQ(ops.call_site[outside], 0u);
  EXPECT_EQ(ops.tree.parent[outside], kNoRow);
}

TEST(Attribution, AClosureIsTheProgramsForwardAndBackward) {
  OpRun t;
  const auto forward = t.add(0, {11, 2, "aten::mm", SpanKind::op});
  const auto backward = t.add(0, {14, 3, "MmBackward0", SpanKind::backward});
  const auto update = t.add(0, {20, 4, "aten::add_", SpanKind::op});
  const auto hook = t.add(0, {19, 6, "Optimizer.update#SGD.step", SpanKind::optimizer});
  const auto step = t.add(0, {10, 20, "Optimizer.step#SGD.step", SpanKind::annotation});
  const auto other = t.add(0, {41, 4, "aten::add_", SpanKind::op});
  t.add(0, {40, 6, "Optimizer.step#Adam.step", SpanKind::annotation});
  const TrackOps ops = std::move(attribute(t).tracks[0]);
  EXPECT_EQ(ops.pass[forward], OpPass::forward);
  EXPECT_EQ(ops.pass[backward], OpPass::backward);
  EXPECT_EQ(ops.pass[step], OpPass::forward);
  EXPECT_EQ(ops.pass[hook], OpPass::optimizer);
  EXPECT_EQ(ops.pass[update], OpPass::optimizer);
  EXPECT_EQ(ops.pass[other], OpPass::optimizer);
}

TEST(Attribution, OptimizerOpsKeepTheirLineAndAHooksSpanIsNotCountedTwice) {
  OpRun t;
  const std::uint32_t line = t.call_site(12);
  const auto op = t.add(0, {13, 4, "aten::_foreach_add_", SpanKind::op, 0, line});
  const auto inner = t.add(0, {12, 6, "Optimizer.step#SGD.step", SpanKind::annotation, 0, line});
  const auto outer = t.add(0, {10, 10, "Optimizer.step#SGD.step", SpanKind::optimizer});
  const TrackOps ops = std::move(attribute(t).tracks[0]);
  EXPECT_EQ(ops.call_site[op], line);
  EXPECT_EQ(ops.pass[op], OpPass::optimizer);
  EXPECT_EQ(ops.tree.parent[op], outer);
  EXPECT_EQ(ops.pass[inner], OpPass::none);
  EXPECT_EQ(ops.call_site[outer], line);
  EXPECT_EQ(ops.tree.self_ns[outer], 6);
}

TEST(Attribution, StepsThatWereNotRecordedInFullDoNotCount) {
  OpRun t;
  const std::uint32_t line = t.call_site(4);
  const auto first = t.add(0, {5, 2, "aten::mul", SpanKind::op, 0, line});
  t.add_step(0, 0, 10, 1);
  const auto cut = t.add(0, {15, 2, "aten::mul", SpanKind::op, 0, line});
  t.add_step(0, 10, 10, 0);
  const auto next = t.add(0, {25, 2, "aten::mul", SpanKind::op, 0, line});
  t.add_step(0, 20, 10, 1);
  const auto after = t.add(0, {35, 2, "aten::mul", SpanKind::op, 0, line});
  const TrackOps ops = std::move(attribute(t).tracks[0]);
  EXPECT_EQ(ops.pass[first], OpPass::forward);
  EXPECT_EQ(ops.pass[cut], OpPass::none);
  EXPECT_EQ(ops.pass[next], OpPass::forward);
  EXPECT_EQ(ops.pass[after], OpPass::none) << "in no step";
}

// A model of many lines, some used twice, run forward on one thread and backward on another.
TEST(Attribution, EveryBackwardOpOfAGeneratedModelFindsItsLine) {
  std::mt19937 random(3);
  OpRun t;
  const std::uint32_t engine = t.add_thread();
  std::vector<std::uint32_t> lines;
  for (std::uint32_t i = 0; i < 40; ++i) lines.push_back(t.call_site(10 + i, "layer"));
  std::uint64_t link = 1ull << 63;
  std::int64_t now = 0;
  for (int step = 0; step < 20; ++step) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> made;
    for (int call = 0; call < 60; ++call, now += 20) {
      const std::uint32_t line = lines[random() % lines.size()];
      ++link;
      made.emplace_back(link, line);
      t.add(0, {now + 2, 4, "aten::mm", SpanKind::op, link});
      t.add(0, {now, 10, "aten::linear", SpanKind::op, link, line});
    }
    std::vector<std::pair<NodeRows, std::uint32_t>> expected;
    for (; !made.empty(); made.pop_back()) {
      expected.emplace_back(add_node(t, engine, now, made.back().first), made.back().second);
      expected.emplace_back(add_node(t, engine, now + 10, 0), made.back().second);
      now += 20;
    }
    if (step % 5 != 4) continue;
    const OpAttribution result = attribute(t);
    for (const auto& [rows, line] : expected) expect_call_sites(result.tracks[engine], rows, line);
  }
}

TEST(Attribution, SelfTimesSumToTheTimeInOps) {
  std::mt19937 random(5);
  OpRun t;
  std::int64_t total = 0;
  std::function<std::int64_t(std::int64_t, int)> grow = [&](std::int64_t start, int depth) {
    std::int64_t now = start + random() % 5;
    for (std::uint32_t i = random() % 4; i > 0 && depth < 6; --i)
      now = grow(now, depth + 1) + random() % 3;
    now += 1 + random() % 7;
    const SpanKind kinds[] = {SpanKind::op, SpanKind::backward, SpanKind::annotation, SpanKind::op};
    t.add(0, {start, now - start, depth % 2 ? "aten::mm" : "aten::linear", kinds[random() % 4]});
    if (depth == 0) total += now - start;
    return now;
  };
  for (std::int64_t i = 0, now = 0; i < 500; ++i) now = grow(now, 0) + 1;
  std::int64_t self = 0;
  const OpAttribution result = attribute(t);
  for (const std::int64_t ns : result.tracks[0].tree.self_ns) self += ns;
  EXPECT_EQ(self, total);
}

// Rows that no program makes: crossing, out of order, links and call sites out of range, cycles.
TEST(Attribution, OddRowsGetCallSitesThatExistAndSelfTimesThatArePossible) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    OpRun t;
    t.add_thread();
    for (std::uint32_t i = 0; i < 5; ++i) t.call_site(i, i % 2 ? "m" : "");
    for (int i = 0; i < 80; ++i) {
      const SpanKind kinds[] = {SpanKind::op,        SpanKind::backward, SpanKind::annotation,
                                SpanKind::optimizer, SpanKind::allocate, SpanKind::gc};
      const std::string_view names[] = {"aten::mm", kEvaluate, "Optimizer.step#SGD.step",
                                        "MulBackward0"};
      t.add(random() % 2,
            {static_cast<std::int64_t>(random() % 100), static_cast<std::int64_t>(random() % 40),
             names[random() % 4], kinds[random() % 6], random() % 6,
             static_cast<std::uint32_t>(random() % 6)});
    }
    const OpAttribution result = attribute(t);
    for (std::size_t track = 0; track < 2; ++track)
      for (std::size_t row = 0; row < result.tracks[track].size(); ++row) {
        ASSERT_LT(result.tracks[track].call_site[row], t.run.call_sites.size());
        ASSERT_GE(result.tracks[track].tree.self_ns[row], 0);
        ASSERT_LE(result.tracks[track].tree.self_ns[row], t.run.tracks[track].spans.duration[row]);
      }
  }
}

}  // namespace
}  // namespace laptime
