#include "tables/code/calltree.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tables/code/functions.h"
#include "trace/analysis.h"
#include "trace/testing/tally_runs.h"

namespace laptime {
namespace {

// "0 main 1 100 10 | 1 f …": depth, name, calls, total, self.
std::string outline(const Run& run, const CallTreeLimits& limits = {}) {
  const CallGraph graph = build_call_graph(run);
  std::string text;
  for (const CallNode& node : build_call_tree(graph, limits)) {
    const std::string name =
        node.left_out
            ? fmt::format("({})", node.left_out)
            : std::string(run.strings[run.codes[graph.functions[node.function].code].name]);
    text += fmt::format("{}{} {} {:.0f} {:.0f} {:.0f}", text.empty() ? "" : " | ", node.depth, name,
                        node.calls, node.total_ns, node.self_ns);
  }
  return text;
}

struct CalledFunctions : TallyRun {
  std::uint32_t main = code("a.py", 1, "main"), f = code("a.py", 5, "f"), g = code("a.py", 9, "g"),
                h = code("a.py", 13, "h");
  void call(std::uint32_t callee, const Counts& counts) { add(TallyKind::call, callee, 0, counts); }
  void edge(std::uint32_t caller, std::uint32_t callee, const Counts& counts) {
    add(TallyKind::edge, callee, caller, counts);
  }
};

TEST(CallTree, SplitsACalleeByItsCallers) {
  CalledFunctions s;
  s.call(s.main, {1, 100, 10, 1});
  s.call(s.f, {1, 50, 20, 1});
  s.call(s.g, {4, 70, 40, 4});
  s.call(s.h, {8, 30, 30, 8});
  s.edge(s.main, s.f, {1, 50, 20, 1});
  s.edge(s.main, s.g, {3, 40, 30, 3});
  s.edge(s.f, s.g, {1, 30, 10, 1});
  s.edge(s.g, s.h, {8, 30, 30, 8});
  // g's 70 are 40 from main and 30 from f, and so are its calls of h.
  EXPECT_EQ(
      outline(s.run),
      "0 main 1 100 10 | 1 f 1 50 20 | 2 g 2 30 17 | 3 h 3 13 13 | 1 g 2 40 23 | 2 h 5 17 17");
}

TEST(CallTree, ARecursionIsOneNode) {
  CalledFunctions s;
  s.call(s.main, {1, 100, 10, 1});
  s.call(s.f, {67, 90, 80, 1});
  s.call(s.g, {5, 10, 10, 5});
  s.edge(s.main, s.f, {1, 90, 5, 1});
  s.edge(s.f, s.f, {66, 85, 75, 10});
  s.edge(s.f, s.g, {5, 10, 10, 5});
  EXPECT_EQ(outline(s.run), "0 main 1 100 10 | 1 f 67 90 80 | 2 g 5 10 10");
}

TEST(CallTree, MutualRecursionKeepsEachOnesOwnTime) {
  CalledFunctions s;
  s.call(s.f, {10, 100, 70, 1});
  s.call(s.g, {9, 90, 30, 1});
  s.edge(s.f, s.g, {9, 90, 30, 1});
  s.edge(s.g, s.f, {9, 85, 60, 1});
  EXPECT_EQ(outline(s.run), "0 f 10 100 70 | 1 g 9 30 30");
}

TEST(CallTree, ARecursionThatNobodyEntersIsShownAllTheSame) {
  CalledFunctions s;
  s.call(s.f, {1, 60, 40, 1});
  s.call(s.g, {1, 50, 20, 1});
  s.edge(s.f, s.g, {1, 50, 20, 1});
  s.edge(s.g, s.f, {1, 60, 40, 1});
  EXPECT_EQ(outline(s.run), "0 f 1 60 40 | 1 g 1 20 20");
}

TEST(CallTree, SaysWhatItLeavesOut) {
  CalledFunctions s;
  s.call(s.main, {1, 100, 10, 1});
  s.call(s.f, {1, 60, 60, 1});
  s.call(s.g, {2, 20, 20, 2});
  s.call(s.h, {3, 10, 10, 3});
  s.edge(s.main, s.f, {1, 60, 60, 1});
  s.edge(s.main, s.g, {2, 20, 20, 2});
  s.edge(s.main, s.h, {3, 10, 10, 3});
  EXPECT_EQ(outline(s.run, {.least_share = 0.5}), "0 main 1 100 10 | 1 f 1 60 60 | 1 (2) 5 30 30");
  EXPECT_EQ(outline(s.run, {.nodes = 2}), "0 main 1 100 10 | 1 f 1 60 60 | 1 (2) 5 30 30");
  EXPECT_EQ(outline(s.run, {.depth = 1}), "0 main 1 100 10 | 1 (3) 6 90 90");
  const Table table = calltree_table(Analysis(s.run));
  EXPECT_EQ(table.rows.size(), 4u);
}

// 60 layers of two functions that each call both of the next: 2^60 paths.
TEST(CallTree, IsBoundedWhateverTheGraph) {
  TallyRun t;
  std::vector<std::uint32_t> above{t.code("a.py", 0, "root")};
  t.add(TallyKind::call, above[0], 0, {1, 1'000'000, 0, 1});
  for (std::uint32_t layer = 1; layer <= 60; ++layer) {
    const std::vector<std::uint32_t> here{t.code("a.py", layer, "x"), t.code("a.py", layer, "y")};
    for (const auto callee : here) {
      t.add(TallyKind::call, callee, 0, {2, 500'000, layer == 60 ? 500'000u : 0, 2});
      for (const auto caller : above)
        t.add(TallyKind::edge, callee, caller, {1, 500'000 / above.size(), 0, 1});
    }
    above = here;
  }
  const CallGraph graph = build_call_graph(t.run);
  const auto tree = build_call_tree(graph);
  EXPECT_LE(tree.size(), 20'000u);
  double self = 0;
  for (const CallNode& node : tree) self += node.self_ns;
  EXPECT_NEAR(self, 1'000'000, 1);
}

TEST(Functions, AreCountedAsPstatsDoes) {
  CalledFunctions s;
  s.call(s.main, {1, 100, 25, 1});
  s.call(s.f, {10, 75, 75, 5});
  s.edge(s.main, s.f, {10, 75, 75, 5});
  const Table table = functions_table(Analysis(s.run));
  ASSERT_EQ(table.rows.size(), 2u);
  const Row expected{"a.py",
                     std::int64_t{5},
                     "f",
                     std::int64_t{10},
                     std::int64_t{5},
                     std::int64_t{75},
                     std::int64_t{75},
                     7.5,
                     15.0,
                     0.75,
                     kUnknown,
                     kUnknown};
  EXPECT_EQ(table.rows[1], expected);
}

}  // namespace
}  // namespace laptime
