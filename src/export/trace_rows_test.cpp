#include "export/trace_rows.h"

#include <gtest/gtest.h>

namespace laptime {
namespace {

TEST(TraceRows, ProperCallsShareOne) {
  TraceRows trace_rows;
  EXPECT_EQ(trace_rows.place(20, 30), 0u);
  EXPECT_EQ(trace_rows.place(22, 30), 0u);
  EXPECT_EQ(trace_rows.place(0, 20), 0u);
  EXPECT_EQ(trace_rows.place(5, 15), 0u);
  EXPECT_EQ(trace_rows.place(5, 10), 0u);
  EXPECT_EQ(trace_rows.place(1, 1), 0u);
}

TEST(TraceRows, CrossingSpansMoveOver) {
  TraceRows trace_rows;
  EXPECT_EQ(trace_rows.place(10, 20), 0u);
  EXPECT_EQ(trace_rows.place(5, 15), 1u);
  EXPECT_EQ(trace_rows.place(11, 14), 0u);
  EXPECT_EQ(trace_rows.place(6, 12), 1u);
  EXPECT_EQ(trace_rows.place(0, 4), 0u);
}

TEST(TraceRows, HaveALimit) {
  TraceRows trace_rows;
  for (std::size_t i = 0; i < TraceRows::kMostRows; ++i)
    EXPECT_EQ(trace_rows.place(-static_cast<std::int64_t>(i), 1000 - static_cast<std::int64_t>(i)),
              i);
  EXPECT_EQ(trace_rows.place(-500, 500), std::nullopt);
}

}  // namespace
}  // namespace laptime
