#include "trace/run/nesting.h"

#include <gtest/gtest.h>
#include <map>

namespace laptime {
namespace {

struct Given {
  std::int64_t start, end;
  SpanKind kind = SpanKind::scope;
};

SpanColumns columns(const std::vector<Given>& rows) {
  SpanColumns spans;
  for (const Given& g : rows) {
    spans.start.push_back(g.start);
    spans.duration.push_back(g.end - g.start);
    spans.name.push_back(0);
    spans.kind.push_back(g.kind);
  }
  return spans;
}

// Self times by row; steps are missing.
std::map<std::uint32_t, std::int64_t> self_times(const std::vector<Given>& rows) {
  std::map<std::uint32_t, std::int64_t> result;
  for_each_self_time(columns(rows),
                     [&](std::uint32_t row, std::int64_t self) { result[row] = self; });
  return result;
}
using Selfs = std::map<std::uint32_t, std::int64_t>;

TEST(Nesting, TakesDirectChildrenOffOnce) {
  // grandchild, child, second child, parent
  EXPECT_EQ(self_times({{2, 4}, {1, 5}, {6, 8}, {0, 10}}), (Selfs{{0, 2}, {1, 2}, {2, 2}, {3, 4}}));
}

TEST(Nesting, SiblingsAndLaterRootsKeepTheirTime) {
  EXPECT_EQ(self_times({{0, 10}, {10, 20}, {20, 20}, {25, 30}}),
            (Selfs{{0, 10}, {1, 10}, {2, 0}, {3, 5}}));
}

TEST(Nesting, EqualIntervalsNestInRecordingOrder) {
  EXPECT_EQ(self_times({{0, 10}, {0, 10}}), (Selfs{{0, 10}, {1, 0}}));
}

TEST(Nesting, StepsAreNoParents) {
  EXPECT_EQ(self_times({{1, 3}, {0, 5, SpanKind::step}, {6, 8}}), (Selfs{{0, 2}, {2, 2}}));
}

TEST(Nesting, PartialOverlapIsNoFamily) {
  EXPECT_EQ(self_times({{0, 6}, {4, 9}}), (Selfs{{0, 6}, {1, 5}}));
}

TEST(Nesting, OverlappingChildrenAreNotTakenOffTwice) {
  EXPECT_EQ(self_times({{1, 6}, {4, 9}, {0, 10}}), (Selfs{{0, 5}, {1, 5}, {2, 2}}));
}

TEST(Nesting, RowsOutOfOrderAreSorted) {
  EXPECT_EQ(self_times({{0, 10}, {1, 5}, {6, 8}, {2, 4}}), (Selfs{{0, 4}, {1, 2}, {2, 2}, {3, 2}}));
  EXPECT_TRUE(end_order(columns({{0, 1}, {1, 2}})).empty());
  EXPECT_EQ(end_order(columns({{0, 9}, {1, 2}})), (std::vector<std::uint32_t>{1, 0}));
}

TEST(Nesting, EqualEndsOutOfOrderPutTheInnerFirst) {
  EXPECT_EQ(self_times({{0, 20}, {0, 10}, {5, 10}}), (Selfs{{0, 10}, {1, 5}, {2, 5}}));
}

}  // namespace
}  // namespace laptime
