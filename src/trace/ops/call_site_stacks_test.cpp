#include "trace/ops/call_site_stacks.h"

#include <gtest/gtest.h>

namespace laptime {

namespace {

// main.py: main() at line 3 or 4 calls step(), which at line 9 calls relu() of lib.py.
Run run_with_frames() {
  Run run;
  const auto code = [&](const char* file, const char* name) {
    return Code{run.strings.add(file), run.strings.add(name), 1, 0};
  };
  run.codes = {{}, code("main.py", "main"), code("main.py", "step"), code("lib.py", "relu")};
  run.call_frames = {{}, {0, 1, 3}, {1, 2, 9}, {2, 3, 21}, {0, 1, 4}, {4, 2, 9}, {5, 3, 21}};
  run.call_sites = {{}, {2, 9, 0, 3}, {2, 9, 0, 6}, {2, 9, 0, 0}};
  return run;
}

TEST(CallSiteStacks, AreWrittenFromTheInnermostFrameOn) {
  const auto run = run_with_frames();
  EXPECT_EQ(stack_at(run, 1),
            (std::vector<std::string>{"lib.py(21): relu", "main.py(9): step", "main.py(3): main"}));
  EXPECT_EQ(stack_at(run, 3), (std::vector<std::string>{"main.py(9): step"}))
      << "the user's line is all that is known";
  EXPECT_TRUE(stack_at(run, 0).empty());
}

TEST(CallSiteStacks, AreTheSameAsFarAsIsAskedFor) {
  const auto run = run_with_frames();
  const auto groups = [&](std::size_t depth) { return stack_groups(run, depth); };
  EXPECT_EQ(groups(2)[1], groups(2)[2]) << "who called step() is not asked for";
  EXPECT_NE(groups(3)[1], groups(3)[2]);
  EXPECT_NE(groups(1)[1], groups(1)[3]);
  EXPECT_EQ(groups(3)[0], 0u);
}

}  // namespace

}  // namespace laptime
