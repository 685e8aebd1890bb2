#include "collect/torch/stretch_clock.h"

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <thread>

#include "record/test_recording.h"

namespace laptime::torch {
namespace {

using namespace std::chrono_literals;

// One that counts how often it was switched. Shared with the clock, which a test that fails may leave running.
struct Watched : std::enable_shared_from_this<Watched> {
  std::atomic<int> switched_on{0}, switched_off{0};
  std::atomic<bool> on{false};

  ClockedSource source() {
    const auto self = shared_from_this();
    return {[self] { self->on = true, ++self->switched_on; }, [self] { self->on = false, ++self->switched_off; }, [] { return std::uint64_t{0}; }};
  }
};

StretchPlan plan(std::vector<ClockedSource> sources, double share, unsigned turns_before) {
  return {std::move(sources), StretchBudget(share, turns_before), 1.0, 1ms};
}

template <typename Reached>
bool comes(Reached reached, int limit_ms = 20'000) {
  for (int i = 0; i < limit_ms && !reached(); ++i) std::this_thread::sleep_for(1ms);
  return reached();
}

// In a recording: without one nothing is switched on.
class StretchClock : public RecorderTest {
 protected:
  StretchClock() { EXPECT_EQ(laptime_start(path_.c_str(), nullptr), 0); }
  ~StretchClock() override { laptime_stop(); }
};

TEST_F(StretchClock, NothingRunsBeforeItIsStarted) { EXPECT_FALSE(stop_stretches()); }

TEST_F(StretchClock, TheFirstStretchIsOnWhenStartReturns) {
  const auto watched = std::make_shared<Watched>();
  StretchPlan slow = plan({watched->source()}, 0.05, 0);
  slow.period = 1h;
  ASSERT_TRUE(start_stretches(std::move(slow)));
  EXPECT_TRUE(watched->on);
  const auto sums = stop_stretches();
  ASSERT_TRUE(sums);
  EXPECT_FALSE(watched->on);
  EXPECT_TRUE(sums->recorded);
  EXPECT_GT(sums->spent, 0);
  EXPECT_FALSE(stop_stretches());
}

TEST_F(StretchClock, RestsUntilAStretchIsPaidFor) {
  const auto watched = std::make_shared<Watched>();
  ASSERT_TRUE(start_stretches(plan({watched->source()}, 0.1, 2)));
  EXPECT_EQ(watched->switched_off, 0);
  EXPECT_TRUE(comes([&] { return watched->switched_off >= 3; }));
  const auto sums = stop_stretches();
  EXPECT_TRUE(sums->recorded && sums->rested);
  ASSERT_EQ(laptime_stop(), 0);
  const Counted counted = count(path_);
  EXPECT_GE(counted.values, 2u + 2 * 3) << "0 at both ends, and each stretch's begin and end";
}

TEST_F(StretchClock, SourcesGoOnInOrderAndOffInTheOther) {
  const auto order = std::make_shared<std::string>();
  std::vector<ClockedSource> sources;
  for (const char name : {'a', 'b'})
    sources.push_back({[=] { *order += name; }, [=] { *order += static_cast<char>(name - 'a' + 'A'); }, [] { return std::uint64_t{0}; }});
  StretchPlan slow = plan(std::move(sources), 0.05, 0);
  slow.period = 1h;
  ASSERT_TRUE(start_stretches(std::move(slow)));
  ASSERT_TRUE(stop_stretches());
  EXPECT_EQ(*order, "abBA");
}

TEST_F(StretchClock, WithoutARecordingNothingStaysOn) {
  const auto watched = std::make_shared<Watched>();
  ASSERT_EQ(laptime_stop(), 0);
  ASSERT_TRUE(start_stretches(plan({watched->source()}, 1.0, 1)));
  EXPECT_FALSE(comes([&] { return watched->switched_on > 0; }, 50));
  ASSERT_TRUE(stop_stretches());
}

TEST_F(StretchClock, OnlyOneRuns) {
  const auto watched = std::make_shared<Watched>();
  ASSERT_TRUE(start_stretches(plan({watched->source()}, 0.05, 1000)));
  EXPECT_FALSE(start_stretches(plan({watched->source()}, 0.05, 1000)));
  const auto sums = stop_stretches();
  EXPECT_FALSE(sums->recorded);
  EXPECT_EQ(watched->switched_on, 0);
}

TEST_F(StretchClock, StopsForTwoThreadsAtOnce) {
  for (int i = 0; i < 50; ++i) {
    const auto watched = std::make_shared<Watched>();
    ASSERT_TRUE(start_stretches(plan({watched->source()}, 0.5, 0)));
    std::thread other([] { (void)stop_stretches(); });
    (void)stop_stretches();
    EXPECT_FALSE(watched->on);
    other.join();
  }
}

TEST_F(StretchClock, AForkedChildHasNoneAndItsParentGoesOn) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer does not support new threads in a child forked from a process with threads";
#endif
  const auto watched = std::make_shared<Watched>();
  ASSERT_TRUE(start_stretches(plan({watched->source()}, 1.0, 0)));
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const auto own = std::make_shared<Watched>();
      const bool none = !stop_stretches();
      const bool starts = start_stretches(plan({own->source()}, 1.0, 0)) && own->switched_on > 0;
      const bool stops = stop_stretches().has_value() && !own->on;
      _exit(none && starts && stops ? 7 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 7);
  }
  const int before = watched->switched_on;
  EXPECT_TRUE(comes([&] { return watched->switched_on > before; }));
  EXPECT_TRUE(stop_stretches());
  EXPECT_FALSE(watched->on);
}

}  // namespace
}  // namespace laptime::torch
